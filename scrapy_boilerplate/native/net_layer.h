/* The net for one kind of processor; net_layers.h includes this file for each.

   NAME(x)    name of a function
   TARGET     attribute of its instructions
   FLOATS     numbers of a vector
   VECTOR     type of a vector
   ROWS       rows that are computed together: their sums stay in registers
   SPREAD(x)  a vector of this float
   ADD(s,x,w) s + x * w of vectors
   NUMBER     type of a whole number in memory
   GROUP      numbers that are multiplied and added up in one lane of a vector
   SUMS       type of a vector of sums of whole numbers
   SPREAD_GROUP(p), ADD_GROUPS(s,x,w), TO_VECTOR(s)   the same for groups
   PUT(p,x,k) makes x number k of the group at p, which holds zeros */

#define PER_PANEL (PANEL / FLOATS)

/* A row of whole numbers times weights, for each neighbour: rows[n] * steps[n] are its floats. */
typedef struct {
    const NUMBER *rows;                /* NULL: no row has such a neighbour */
    const float *steps;
    const NUMBER *weights;
} NAME(tap);

/* Write to output[rows][panels * PANEL] the sums over the taps * scale, and + bias if not LINEAR.

   `stride` and `group_stride` are the numbers between two rows and two groups of a row. */
TARGET static void NAME(run_layer)(
    const NAME(tap) *taps, int n_taps, ptrdiff_t stride, ptrdiff_t group_stride, int groups,
    const float *scale, const float *bias, float *output, ptrdiff_t rows, int panels, int kind)
{
    const ptrdiff_t panel_size = (ptrdiff_t)groups * GROUP * PANEL, channels = panels * PANEL;
    for (int panel = 0; panel < panels; panel++, scale += PANEL, bias += PANEL, output += PANEL)
        for (ptrdiff_t first = 0; first < rows; first += ROWS) {
            VECTOR totals[ROWS][PER_PANEL] = {0};
            for (int tap = 0; tap < n_taps; tap++) {
                if (taps[tap].rows == NULL)
                    continue;
                const NUMBER *from = taps[tap].rows + first * stride;
                const NUMBER *weight = taps[tap].weights + panel * panel_size;
                SUMS sums[ROWS][PER_PANEL] = {0};
                for (int k = 0; k < groups; k++, from += group_stride, weight += GROUP * PANEL)
                    for (int row = 0; row < ROWS; row++)
                        for (int part = 0; part < PER_PANEL; part++)
                            sums[row][part] = ADD_GROUPS(
                                sums[row][part], SPREAD_GROUP(from + row * stride),
                                weight + part * FLOATS * GROUP);
                for (int row = 0; row < ROWS; row++)
                    for (int part = 0; part < PER_PANEL; part++)
                        totals[row][part] +=
                            TO_VECTOR(sums[row][part]) * SPREAD(taps[tap].steps[first + row]);
            }
            for (int row = 0; row < ROWS; row++) {
                const float *total = (const float *)totals[row];
                float *to = output + (first + row) * channels;
                for (int k = 0; k < PANEL; k++) {
                    float value = total[k] * scale[k];
                    if (kind != LINEAR)
                        value = value + bias[k] < 0 ? 0 : value + bias[k];
                    to[k] = kind == RESIDUAL ? to[k] + value : value;
                }
            }
        }
}

/* Write to output[rows][panels * PANEL] the rows of floats times weights. */
TARGET static void NAME(multiply)(
    const float *input, ptrdiff_t depth, const float *weight, float *output, ptrdiff_t rows,
    int panels)
{
    for (int panel = 0; panel < panels; panel++, weight += depth * PANEL, output += PANEL)
        for (ptrdiff_t first = 0; first < rows; first += ROWS) {
            VECTOR sums[ROWS][PER_PANEL] = {0};
            const float *from = input + first * depth;
            for (ptrdiff_t k = 0; k < depth; k++, from++)
                for (int row = 0; row < ROWS; row++)
                    for (int part = 0; part < PER_PANEL; part++)
                        sums[row][part] = ADD(
                            sums[row][part], SPREAD(from[row * depth]),
                            *(const VECTOR *)(weight + k * PANEL + part * FLOATS));
            for (int row = 0; row < ROWS; row++)
                memcpy(output + (first + row) * panels * PANEL, sums[row], sizeof sums[row]);
        }
}

/* Write the rows, which are 0 or more, as whole numbers up to MAX_NUMBER, and their steps. */
TARGET static void NAME(round_rows)(
    const float *rows, ptrdiff_t n, int channels, NUMBER *RESTRICT rounded, float *RESTRICT steps)
{
    for (; n > 0; n--, rows += channels, rounded += channels) {
        int32_t bits = 0;              /* floats from 0 are in the order of their bits */
        for (int k = 0; k < channels; k++) {
            int32_t other;
            memcpy(&other, rows + k, sizeof other);
            bits = other > bits ? other : bits;
        }
        float most;
        memcpy(&most, &bits, sizeof most);
        most = most > MIN_DIVISOR ? most : MIN_DIVISOR;
        const float factor = MAX_NUMBER / most;
        *steps++ = most / MAX_NUMBER;
        for (int k = 0; k < channels; k++)
            rounded[k] = (NUMBER)(int32_t)(rows[k] * factor + .5f);
    }
}

/* The memory of a page: hidden rows of one member after the other, and what they are made of. */
typedef struct {
    void *allocated;
    ptrdiff_t n, padded;               /* rows, and with those that fill the last tile */
    float *hidden, *means, *products, *scores, *attended, *of_page, *steps;
    NUMBER *rounded, *high, *low;      /* between `reach` rows of zeros; two digits of columns */
} NAME(page);

static int NAME(allocate)(const net_sizes *net, ptrdiff_t n, NAME(page) *page)
{
    const ptrdiff_t channels = net->channels, padded = (n + ROWS - 1) / ROWS * ROWS;
    const ptrdiff_t size = padded * channels;
    const ptrdiff_t digits = (net->columns + GROUP - 1) / GROUP * GROUP * padded;
    ptrdiff_t reach = net->width / 2;
    for (int k = 1; k < net->depth && reach < n; k++)
        reach *= 2;
    reach = min_size(reach, n);
    const ptrdiff_t floats = (2 + net->kinds) * size + padded * net->heads;
    const size_t zeros = (ROWS * (net->queries + 1) * channels + padded + 2 * reach) * sizeof(float)
        + (2 * digits + size + 2 * reach * channels) * sizeof(NUMBER);
    char *allocated = malloc(CACHE_LINE + floats * sizeof(float) + zeros);
    if (allocated == NULL)
        return -1;
    page->allocated = allocated, page->n = n, page->padded = padded;
    page->hidden = (float *)(allocated + CACHE_LINE - (uintptr_t)allocated % CACHE_LINE);
    page->means = page->hidden + size, page->products = page->means + size;
    page->scores = page->products + net->kinds * size;
    page->attended = memset(page->hidden + floats, 0, zeros);
    page->of_page = page->attended + (ptrdiff_t)ROWS * net->queries * channels;
    page->steps = page->of_page + ROWS * channels + reach;
    page->high = (NUMBER *)(page->steps + padded + reach), page->low = page->high + digits;
    page->rounded = page->low + digits + reach * channels;
    return 0;
}

/* Write the columns as whole numbers of two digits to high and low[groups][padded][GROUP]. */
TARGET static void NAME(round_columns)(
    const net_sizes *net, const float *mean, const float *factor, const float *from,
    NAME(page) *page)
{
    const float most = DIGIT * DIGIT - 1;
    const ptrdiff_t n = page->n;
    for (int column = 0; column < net->columns; column++, from += n) {
        const ptrdiff_t group = column / GROUP * page->padded * GROUP;
        NUMBER *RESTRICT high = page->high + group, *RESTRICT low = page->low + group;
        for (ptrdiff_t row = 0; row < n; row++) {
            float value = (from[row] - mean[column]) * factor[column] + most / 2;
            value = value > 0 ? value : 0; /* also NaN */
            const int32_t digits = (int32_t)((value < most ? value : most) + .5f);
            PUT(high + row * GROUP, digits >> DIGIT_BITS, column % GROUP);
            PUT(low + row * GROUP, digits & (DIGIT - 1), column % GROUP);
        }
    }
}

/* Write the hidden rows of one member; return its next weights. */
TARGET static const NUMBER *NAME(run_layers)(
    const net_sizes *net, const NUMBER *weight, const float *floats, float column_step,
    NAME(page) *page)
{
    const int channels = net->channels, panels = channels / PANEL, width = net->width;
    const int groups = (net->columns + GROUP - 1) / GROUP;
    const ptrdiff_t n = page->n, padded = page->padded;
    float *high_steps = page->means, *low_steps = high_steps + padded;
    for (ptrdiff_t row = 0; row < padded; row++)
        high_steps[row] = DIGIT * column_step, low_steps[row] = column_step;
    NAME(tap) taps[MAX_TAPS] = {{page->high, high_steps, weight}, {page->low, low_steps, weight}};
    NAME(run_layer)(taps, 2, GROUP, padded * GROUP, groups, floats, floats + channels,
                    page->hidden, padded, panels, RECTIFIED);
    weight += (size_t)groups * GROUP * channels;
    ptrdiff_t step = 1;
    for (int k = 0; k < net->depth; k++) {
        floats += 2 * channels;
        NAME(round_rows)(page->hidden, n, channels, page->rounded, page->steps);
        for (int tap = 0; tap < width; tap++, weight += (size_t)channels * channels) {
            ptrdiff_t away = tap - width / 2;
            int near = away == 0 || (step < n && (away < 0 ? -away : away) * step < n);
            away *= near ? step : 0;
            taps[tap].rows = near ? page->rounded + away * channels : NULL;
            taps[tap].steps = page->steps + away;
            taps[tap].weights = weight;
        }
        NAME(run_layer)(taps, width, channels, GROUP, channels / GROUP, floats, floats + channels,
                        page->hidden, padded, panels, RESIDUAL);
        step = step < n ? 2 * step : step;
    }
    return weight;
}

/* Write to means[groups][channels] the mean of the rows of each group; return the groups. */
TARGET static ptrdiff_t NAME(average_groups)(
    const float *hidden, const int64_t *groups, ptrdiff_t n, int channels, float *RESTRICT means,
    float *counts)
{
    ptrdiff_t n_groups = 0;
    for (ptrdiff_t row = 0; row < n; row++)
        if (groups[row] >= n_groups)
            n_groups = groups[row] + 1;
    memset(means, 0, n_groups * channels * sizeof(float));
    memset(counts, 0, n_groups * sizeof(float));
    for (ptrdiff_t row = 0; row < n; row++) {
        if (groups[row] < 0)
            continue;
        float *to = means + groups[row] * channels;
        counts[groups[row]] += 1;
        for (int k = 0; k < channels; k++)
            to[k] += hidden[row * channels + k];
    }
    for (ptrdiff_t group = 0; group < n_groups; group++) {
        const float share = 1 / (counts[group] > 1 ? counts[group] : 1);
        for (int k = 0; k < channels; k++)
            means[group * channels + k] *= share;
    }
    return n_groups;
}

/* Write to attended[channels] the mean of the rows by the softmax of a column of scores. */
TARGET static void NAME(attend_rows)(
    const float *hidden, const float *scores, ptrdiff_t n, int channels, float *RESTRICT attended)
{
    float most = scores[0], total = 0;
    for (ptrdiff_t row = 1; row < n; row++)
        most = scores[row * PANEL] > most ? scores[row * PANEL] : most;
    memset(attended, 0, channels * sizeof(float));
    for (ptrdiff_t row = 0; row < n; row++) {
        float share = expf(scores[row * PANEL] - most);
        total += share;
        for (int k = 0; k < channels; k++)
            attended[k] += share * hidden[row * channels + k];
    }
    for (int k = 0; k < channels; k++)
        attended[k] /= total;
}

/* Add the pooling layer to the hidden rows of one member; return its next floats. */
TARGET static const float *NAME(pool)(
    const net_sizes *net, const NUMBER *weight, const float *floats, const int64_t *groups,
    NAME(page) *page)
{
    const int channels = net->channels, queries = net->queries, panels = channels / PANEL;
    const ptrdiff_t n = page->n;
    float *products = page->products, *of_kind[MAX_KINDS];
    for (int kind = 0; kind < net->kinds; kind++) {
        const NAME(tap) tap = {page->rounded, page->steps, weight};
        ptrdiff_t n_groups = NAME(average_groups)(
            page->hidden, groups + kind * n, n, channels, page->means, page->steps);
        NAME(round_rows)(page->means, n_groups, channels, page->rounded, page->steps);
        NAME(run_layer)(&tap, 1, channels, GROUP, channels / GROUP, floats, NULL, products,
                        n_groups, panels, LINEAR);
        floats += channels, weight += (ptrdiff_t)channels * channels;
        of_kind[kind] = products;
        products += (n_groups + ROWS - 1) / ROWS * ROWS * channels;
    }
    NAME(multiply)(page->hidden, channels, floats, page->scores, page->padded, 1);
    for (int k = 0; k < queries; k++)
        NAME(attend_rows)(page->hidden, page->scores + k, n, channels,
                          page->attended + (ptrdiff_t)k * channels);
    floats += (ptrdiff_t)channels * PANEL;
    NAME(multiply)(page->attended, (ptrdiff_t)queries * channels, floats, page->of_page, ROWS,
                   panels);
    floats += (ptrdiff_t)queries * channels * channels;
    for (int k = 0; k < channels; k++)
        page->of_page[k] += floats[k];
    float *RESTRICT added = page->means;
    for (ptrdiff_t row = 0; row < n; row++) {
        memcpy(added, page->of_page, channels * sizeof(float));
        for (int kind = 0; kind < net->kinds; kind++)
            if (groups[kind * n + row] >= 0)
                for (int k = 0; k < channels; k++)
                    added[k] += of_kind[kind][groups[kind * n + row] * channels + k];
        for (int k = 0; k < channels; k++)
            page->hidden[row * channels + k] += added[k] < 0 ? 0 : added[k];
    }
    return floats + channels;
}

/* Write to log_odds[members][n][heads_kept] the outputs of the net. */
TARGET static int NAME(run_net)(
    const net_sizes *net, const void *weights, const float *floats, const float *mean,
    const float *factor, float step, const float *columns, const int64_t *groups, ptrdiff_t n,
    float *log_odds, int heads_kept)
{
    const int channels = net->channels, heads = net->heads;
    const NUMBER *weight = weights;
    NAME(page) page;
    if (NAME(allocate)(net, n, &page))
        return -1;
    NAME(round_columns)(net, mean, factor, columns, &page);
    for (int member = 0; member < net->members; member++, floats += heads) {
        weight = NAME(run_layers)(net, weight, floats, step, &page);
        floats += (ptrdiff_t)2 * (1 + net->depth) * channels;
        floats = NAME(pool)(net, weight, floats, groups, &page);
        weight += (ptrdiff_t)net->kinds * channels * channels;
        NAME(multiply)(page.hidden, channels, floats, page.scores, page.padded, heads / PANEL);
        floats += (ptrdiff_t)channels * heads;
        for (ptrdiff_t row = 0; row < n; row++, log_odds += heads_kept)
            for (int head = 0; head < heads_kept; head++)
                log_odds[head] = page.scores[row * heads + head] + floats[head];
    }
    free(page.allocated);
    return 0;
}

#undef PER_PANEL
#undef NAME
#undef TARGET
#undef FLOATS
#undef VECTOR
#undef ROWS
#undef SPREAD
#undef ADD
#undef SUMS
#undef SPREAD_GROUP
#undef ADD_GROUPS
#undef TO_VECTOR
