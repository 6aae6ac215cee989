/* The layers of news/net.py in plain C: no BLAS, no threads, no allocation but one buffer.

   A layer is a product of rows with weights that stand in panels of PANEL columns, so that the sums
   of a few rows and one panel stay in the registers of the processor. Vectors are those of gcc and
   clang; other compilers take a loop over numbers. */

#ifndef SCRAPY_BOILERPLATE_NET_LAYERS_H
#define SCRAPY_BOILERPLATE_NET_LAYERS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PANEL 32
#define ROW_TILE 6                     /* a multiple of the rows of every kind of processor */
#define NO_TAP PTRDIFF_MIN             /* a neighbour that no row has: weighs nothing */

#if defined(_MSC_VER)                  /* knows C99's word only with /std:c11 */
#define RESTRICT __restrict
#else
#define RESTRICT restrict
#endif

enum { LINEAR, RECTIFIED, RESIDUAL };

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O3") /* loops over registers are unrolled also where Python is built with -O2 */
#endif

typedef void (*layer_function)(
    const float *, ptrdiff_t, const ptrdiff_t *, int, int, const float *, const float *,
    float *, ptrdiff_t, ptrdiff_t, int, int);

#if defined(__aarch64__)
#define FOUR_ROWS 3 /* of 32 registers */
#else
#define FOUR_ROWS 1 /* of 16 */
#endif

#if defined(__GNUC__)
typedef float floats_4 __attribute__((vector_size(16), aligned(4), may_alias));
#define LAYER layer_of_4
#define TARGET
#define FLOATS 4
#define VECTOR floats_4
#define ROWS FOUR_ROWS
#include "net_layer.h"
#else
#define LAYER layer_of_4
#define TARGET
#define FLOATS 1
#define VECTOR float
#define ROWS 1
#include "net_layer.h"
#endif

#if defined(__GNUC__) && defined(__x86_64__)
#define HAS_WIDE_LAYERS
typedef float floats_8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float floats_16 __attribute__((vector_size(64), aligned(4), may_alias));
#define LAYER layer_of_8
#define TARGET __attribute__((target("avx2,fma")))
#define FLOATS 8
#define VECTOR floats_8
#define ROWS 3
#include "net_layer.h"
#define LAYER layer_of_16
#define TARGET __attribute__((target("avx512f,fma")))
#define FLOATS 16
#define VECTOR floats_16
#define ROWS 6
#include "net_layer.h"
#endif

/* Return the widest layer of this processor, at most of `widest` numbers. */
static layer_function choose_layer(int widest)
{
#ifdef HAS_WIDE_LAYERS
    __builtin_cpu_init();
    if (widest >= 16 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma"))
        return layer_of_16;
    if (widest >= 8 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return layer_of_8;
#endif
    (void)widest;
    return layer_of_4;
}

/* The sizes of a net; `channels` and `heads` are multiples of PANEL, `queries` at most PANEL. */
typedef struct {
    int members, columns, channels, depth, width, kinds, queries, heads;
} net_sizes;

static ptrdiff_t min_size(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }

static ptrdiff_t round_to_tiles(ptrdiff_t rows)
{
    return (rows + ROW_TILE - 1) / ROW_TILE * ROW_TILE;
}

/* Return how many numbers the layers of one member have. */
static size_t count_layer_weights(const net_sizes *net)
{
    size_t channels = net->channels;
    size_t layer = (size_t)net->width * channels * channels + channels;
    return net->columns * channels + channels + net->depth * layer;
}

/* Return how many numbers the pooling layer and the outputs of one member have. */
static size_t count_pool_weights(const net_sizes *net)
{
    size_t channels = net->channels, heads = net->heads;
    size_t queries = net->queries ? channels * PANEL + net->queries * channels * channels : 0;
    return net->kinds * channels * channels + queries + channels + channels * heads + heads;
}

/* Write to hidden[members][n][channels] what the layers make of rows[n][columns].

   `row_step` and `column_step` are the numbers between two rows and two columns of `rows`. Returns
   -1 without memory, else 0. */
static int run_net_layers(
    const net_sizes *net, const float *weights, const float *mean, const float *scale, float limit,
    const float *rows, ptrdiff_t row_step, ptrdiff_t column_step, ptrdiff_t n,
    float *written, int widest)
{
    layer_function layer = choose_layer(widest);
    const int channels = net->channels, columns = net->columns;
    const ptrdiff_t padded = round_to_tiles(n);
    ptrdiff_t reach = net->width / 2;
    for (int k = 1; k < net->depth && reach < n; k++)
        reach *= 2;
    reach = min_size(reach, n);
    const size_t hidden_size = (size_t)(padded + 2 * reach) * channels;
    const size_t standard_size = (size_t)padded * columns;
    float *buffer = calloc(standard_size + 2 * hidden_size, sizeof(float));
    if (buffer == NULL)
        return -1;
    float *standard = buffer;
    float *hidden = standard + standard_size + reach * channels, *next = hidden + hidden_size;

    for (int column = 0; column < columns; column++) {
        const float *from = rows + column * column_step;
        for (ptrdiff_t row = 0; row < n; row++) {
            float value = (from[row * row_step] - mean[column]) / scale[column];
            value = value < -limit ? -limit : value;
            standard[row * columns + column] = value > limit ? limit : value;
        }
    }

    ptrdiff_t taps[99] = {0};
    const size_t beyond = (size_t)(padded - n) * channels * sizeof(float);
    for (int member = 0; member < net->members; member++) {
        const float *weight = weights + member * count_layer_weights(net);
        const float *bias = weight + (size_t)columns * channels;
        taps[0] = 0;
        layer(standard, columns, taps, 1, columns, weight, bias, hidden, channels, padded,
              channels / PANEL, RECTIFIED);
        memset(hidden + n * channels, 0, beyond);
        weight = bias + channels;
        ptrdiff_t step = 1;
        for (int k = 0; k < net->depth; k++) {
            for (int tap = 0; tap < net->width; tap++) {
                ptrdiff_t away = tap - net->width / 2;
                int near = away == 0 || (step < n && (away < 0 ? -away : away) * step < n);
                taps[tap] = near ? away * step * channels : NO_TAP;
            }
            bias = weight + (size_t)net->width * channels * channels;
            layer(hidden, channels, taps, net->width, channels, weight, bias, next, channels,
                  padded, channels / PANEL, RESIDUAL);
            memset(next + n * channels, 0, beyond);
            weight = bias + channels;
            float *swapped = hidden;
            hidden = next, next = swapped;
            step = step < n ? 2 * step : step;
        }
        memcpy(written + member * n * channels, hidden, n * channels * sizeof(float));
    }
    free(buffer);
    return 0;
}

/* Write to means[groups][channels] the mean of the rows of each group; return the groups. */
static ptrdiff_t average_groups(
    const float *hidden, const int64_t *groups, ptrdiff_t n, int channels, float *means,
    float *counts)
{
    ptrdiff_t n_groups = 0;
    for (ptrdiff_t row = 0; row < n; row++)
        if (groups[row] >= n_groups)
            n_groups = groups[row] + 1;
    memset(means, 0, round_to_tiles(n_groups) * channels * sizeof(float));
    memset(counts, 0, n_groups * sizeof(float));
    for (ptrdiff_t row = 0; row < n; row++) {
        if (groups[row] < 0)
            continue;
        float *to = means + groups[row] * channels;
        counts[groups[row]] += 1;
        for (int k = 0; k < channels; k++)
            to[k] += hidden[row * channels + k];
    }
    for (ptrdiff_t group = 0; group < n_groups; group++)
        for (int k = 0; k < channels; k++)
            means[group * channels + k] /= counts[group] > 1 ? counts[group] : 1;
    return n_groups;
}

/* Write to attended[channels] the mean of the rows by the softmax of a column of scores. */
static void attend_rows(
    const float *hidden, const float *scores, ptrdiff_t n, int channels, float *attended)
{
    float most = scores[0], total = 0;
    for (ptrdiff_t row = 1; row < n; row++)
        most = scores[row * PANEL] > most ? scores[row * PANEL] : most;
    for (ptrdiff_t row = 0; row < n; row++) {
        float share = expf(scores[row * PANEL] - most);
        total += share;
        for (int k = 0; k < channels; k++)
            attended[k] += share * hidden[row * channels + k];
    }
    for (int k = 0; k < channels; k++)
        attended[k] /= total;
}

/* Write to log_odds[members][n][heads_kept] the outputs of hidden[members][n][channels].

   `groups` is [kinds][n], each below n. Returns -1 without memory, else 0. */
static int run_net_pool(
    const net_sizes *net, const float *weights, const float *hidden, const int64_t *groups,
    ptrdiff_t n, float *log_odds, int heads_kept, int widest)
{
    layer_function layer = choose_layer(widest);
    const int channels = net->channels, heads = net->heads, queries = net->queries;
    const int panels = channels / PANEL, widest_rows = heads > channels ? heads : channels;
    const ptrdiff_t padded = round_to_tiles(n), none[1] = {0};
    const size_t square = (size_t)channels * channels, size = (size_t)padded * channels;
    const size_t products_size = (size_t)padded * widest_rows;
    const size_t attended_size = (size_t)ROW_TILE * queries * channels;
    const size_t zeros_size = channels > PANEL ? channels : PANEL;
    float *buffer = calloc(
        3 * size + products_size + padded + padded * PANEL + attended_size
            + ROW_TILE * channels + zeros_size,
        sizeof(float));
    if (buffer == NULL)
        return -1;
    float *rows = buffer, *sums = rows + size, *means = sums + size, *products = means + size;
    float *counts = products + products_size, *scores = counts + padded;
    float *attended = scores + padded * PANEL, *of_page = attended + attended_size;
    const float *zeros = of_page + ROW_TILE * channels;

    for (int member = 0; member < net->members; member++, weights += count_pool_weights(net)) {
        const float *weight = weights;
        memcpy(rows, hidden + member * n * channels, n * channels * sizeof(float));
        memset(sums, 0, size * sizeof(float));
        for (int kind = 0; kind < net->kinds; kind++, weight += square) {
            const int64_t *group = groups + kind * n;
            ptrdiff_t n_groups = average_groups(rows, group, n, channels, means, counts);
            layer(means, channels, none, 1, channels, weight, zeros, products, channels,
                  round_to_tiles(n_groups), panels, LINEAR);
            for (ptrdiff_t row = 0; row < n; row++)
                if (group[row] >= 0)
                    for (int k = 0; k < channels; k++)
                        sums[row * channels + k] += products[group[row] * channels + k];
        }
        if (queries) {
            layer(rows, channels, none, 1, channels, weight, zeros, scores, PANEL, padded, 1,
                  LINEAR);
            memset(attended, 0, attended_size * sizeof(float));
            for (int k = 0; k < queries; k++)
                attend_rows(rows, scores + k, n, channels, attended + (size_t)k * channels);
            weight += (size_t)channels * PANEL;
            layer(attended, (ptrdiff_t)queries * channels, none, 1, queries * channels, weight,
                  zeros, of_page, channels, ROW_TILE, panels, LINEAR);
            weight += queries * square;
        }
        for (ptrdiff_t row = 0; row < n; row++)
            for (int k = 0; k < channels; k++) {
                float added = sums[row * channels + k] + weight[k] + of_page[k];
                rows[row * channels + k] += added < 0 ? 0 : added;
            }
        weight += channels;
        layer(rows, channels, none, 1, channels, weight, weight + (size_t)channels * heads,
              products, heads, padded, heads / PANEL, LINEAR);
        for (ptrdiff_t row = 0; row < n; row++, log_odds += heads_kept)
            memcpy(log_odds, products + row * heads, heads_kept * sizeof(float));
    }
    free(buffer);
    return 0;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

#endif
