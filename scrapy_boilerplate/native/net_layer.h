/* One layer of the net for one kind of processor; net_layers.h includes this file for each.

   LAYER  name of the function
   TARGET attribute of its instructions
   FLOATS numbers of a vector
   VECTOR type of a vector
   ROWS   rows that are computed together: their sums stay in registers */

#define PER_PANEL (PANEL / FLOATS)

TARGET static void LAYER(
    const float *RESTRICT input, ptrdiff_t stride, const ptrdiff_t *taps, int n_taps, int depth,
    const float *weights, const float *bias, float *RESTRICT output, ptrdiff_t output_stride,
    ptrdiff_t rows, int panels, int kind)
{
    for (int panel = 0; panel < panels; panel++) {
        const float *panel_weights = weights + (size_t)panel * n_taps * depth * PANEL;
        for (ptrdiff_t first = 0; first < rows; first += ROWS) {
            VECTOR sums[ROWS][PER_PANEL];
            for (int row = 0; row < ROWS; row++)
                for (int part = 0; part < PER_PANEL; part++)
                    sums[row][part] = *(const VECTOR *)(bias + panel * PANEL + part * FLOATS);
            const float *weight = panel_weights;
            for (int tap = 0; tap < n_taps; tap++) {
                if (taps[tap] == NO_TAP) {
                    weight += (size_t)depth * PANEL;
                    continue;
                }
                const float *from = input + first * stride + taps[tap];
                for (int k = 0; k < depth; k++, weight += PANEL)
                    for (int row = 0; row < ROWS; row++)
                        for (int part = 0; part < PER_PANEL; part++)
                            sums[row][part] += from[row * stride + k]
                                * *(const VECTOR *)(weight + part * FLOATS);
            }
            for (int row = 0; row < ROWS; row++) {
                float *to = output + (first + row) * output_stride + panel * PANEL;
                const float *before = input + (first + row) * stride + panel * PANEL;
                for (int part = 0; part < PER_PANEL; part++)
                    *(VECTOR *)(to + part * FLOATS) = sums[row][part];
                if (kind == LINEAR)
                    continue;
                for (int k = 0; k < PANEL; k++)
                    to[k] = to[k] < 0 ? 0 : to[k]; /* keeps NaN, as numpy does */
                if (kind == RESIDUAL)
                    for (int k = 0; k < PANEL; k++)
                        to[k] += before[k];
            }
        }
    }
}

#undef PER_PANEL
#undef LAYER
#undef TARGET
#undef FLOATS
#undef VECTOR
#undef ROWS
