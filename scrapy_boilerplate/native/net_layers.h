/* The layers of news/net.py in plain C: no BLAS, no threads, no allocation but one buffer.

   A layer is a product of rows with weights that stand in panels of PANEL columns, so that the sums
   of a few rows and one panel stay in the registers of the processor. Vectors are those of gcc and
   clang; other compilers take a loop over numbers. */

#ifndef SCRAPY_BOILERPLATE_NET_LAYERS_H
#define SCRAPY_BOILERPLATE_NET_LAYERS_H

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

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
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

/* The sizes of a net; `channels` and `heads` are multiples of PANEL. */
typedef struct {
    int members, columns, channels, depth, width, heads;
} net_sizes;

static ptrdiff_t min_size(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }

/* Return how many numbers the weights of one member have. */
static size_t count_weights(const net_sizes *net)
{
    size_t channels = net->channels, heads = net->heads;
    size_t layer = (size_t)net->width * channels * channels + channels;
    return net->columns * channels + channels + net->depth * layer + channels * heads + heads;
}

/* Write to log_odds[members][n][heads_kept] what the members say of rows[n][columns].

   `row_step` and `column_step` are the numbers between two rows and two columns of `rows`. Returns
   -1 without memory, else 0. */
static int run_net(
    const net_sizes *net, const float *weights, const float *mean, const float *scale, float limit,
    const float *rows, ptrdiff_t row_step, ptrdiff_t column_step, ptrdiff_t n,
    float *log_odds, int heads_kept, int widest)
{
    layer_function layer = choose_layer(widest);
    const int channels = net->channels, heads = net->heads, columns = net->columns;
    const ptrdiff_t padded = (n + ROW_TILE - 1) / ROW_TILE * ROW_TILE;
    ptrdiff_t reach = net->width / 2;
    for (int k = 1; k < net->depth && reach < n; k++)
        reach *= 2;
    reach = min_size(reach, n);
    const size_t hidden_size = (size_t)(padded + 2 * reach) * channels;
    const size_t standard_size = (size_t)padded * columns;
    const size_t output_size = (size_t)padded * heads;
    float *buffer = calloc(standard_size + 2 * hidden_size + output_size, sizeof(float));
    if (buffer == NULL)
        return -1;
    float *standard = buffer, *output = buffer + standard_size + 2 * hidden_size;
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
        const float *weight = weights + member * count_weights(net);
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
        bias = weight + (size_t)channels * heads;
        taps[0] = 0;
        layer(hidden, channels, taps, 1, channels, weight, bias, output, heads, padded,
              heads / PANEL, LINEAR);
        for (ptrdiff_t row = 0; row < n; row++, log_odds += heads_kept)
            memcpy(log_odds, output + row * heads, heads_kept * sizeof(float));
    }
    free(buffer);
    return 0;
}

#endif
