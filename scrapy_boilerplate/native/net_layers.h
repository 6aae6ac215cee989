/* The layers of news/net.py in C: no BLAS, no threads, no allocation but one buffer.

   Most layers multiply whole numbers of 7 bits with weights of 8 bits, whose sums are exact, and
   floats are added in one order: every kind of processor computes the same hidden rows, as numpy
   does. Weights are in panels of PANEL columns, so that the sums of a few rows and one panel stay
   in the registers. Vectors are those of gcc and clang; other compilers take a loop over floats. */

#ifndef SCRAPY_BOILERPLATE_NET_LAYERS_H
#define SCRAPY_BOILERPLATE_NET_LAYERS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PANEL 32
#define MAX_TAPS 99
#define MAX_KINDS 64                   /* of groups */
#define CACHE_LINE 64                  /* bytes; vectors that do not cross it are faster */
#define DIGIT_BITS 7
#define DIGIT (1 << DIGIT_BITS)
#define MAX_NUMBER 127.0f
#define MIN_DIVISOR 1e-30f              /* rows of zeros are divided by it */

#if defined(_MSC_VER)                  /* knows C99's word only with /std:c11 */
#define RESTRICT __restrict
#else
#define RESTRICT restrict
#endif

enum { LINEAR, RECTIFIED, RESIDUAL };

/* The sizes of a net; `channels` and `heads` are multiples of PANEL, `queries` at most PANEL. */
typedef struct {
    int members, columns, channels, depth, width, kinds, queries, heads;
} net_sizes;

static ptrdiff_t min_size(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
/* unrolls loops over registers also where Python is built with -O2; limits are no branches */
#pragma GCC optimize("O3", "no-trapping-math")
#endif

#define NAME(function) function##_of_4
#define TARGET
#if defined(__GNUC__)
typedef float floats_4 __attribute__((vector_size(16), aligned(4), may_alias));
#define FLOATS 4
#define VECTOR floats_4
#else
#define FLOATS 1
#define VECTOR float
#endif
#define SPREAD(number) (number)
#if defined(__GNUC__) && defined(__aarch64__)
#include <arm_neon.h>
#define ROWS 3                         /* of 32 registers */
#define ADD(sums, x, weights) \
    ((floats_4)vfmaq_n_f32((float32x4_t)(sums), (float32x4_t)(weights), x))
#else
#define ROWS 1                         /* of 16 */
#define ADD(sums, x, weights) ((sums) + (x) * (weights))
#endif
#define NUMBER float
#define GROUP 1
#define SUMS VECTOR
#define SPREAD_GROUP(from) SPREAD(*(from))
#define ADD_GROUPS(sums, x, weights) ADD(sums, x, *(const VECTOR *)(weights))
#define TO_VECTOR(sums) (sums)
#define PUT(to, number, place) (*(to) = (float)(number))
#include "net_layer.h"

#if defined(__x86_64__) && (defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 8))
#define HAS_WIDE_LAYERS
#include <immintrin.h>
typedef float floats_8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float floats_16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef uint32_t unaligned_32 __attribute__((aligned(1), may_alias));

#undef NUMBER
#undef GROUP
#undef PUT
#define NUMBER int8_t
#define GROUP 4
#define PUT(to, number, place) (*(unaligned_32 *)(to) |= (uint32_t)(number) << 8 * (place))
#define NAME(function) function##_of_8
#define TARGET __attribute__((target("avx2,fma")))
#define FLOATS 8
#define VECTOR floats_8
#define ROWS 2
#define SPREAD(number) _mm256_set1_ps(number)
#define ADD(sums, x, weights) _mm256_fmadd_ps(x, weights, sums)
#define SUMS __m256i
#define SPREAD_GROUP(from) _mm256_set1_epi32((int)*(const unaligned_32 *)(from))
#define ADD_GROUPS(sums, x, weights) \
    _mm256_add_epi32(sums, _mm256_madd_epi16( \
        _mm256_set1_epi16(1), \
        _mm256_maddubs_epi16(x, _mm256_loadu_si256((const __m256i *)(weights)))))
#define TO_VECTOR(sums) _mm256_cvtepi32_ps(sums)
#include "net_layer.h"

/* as _mm512_dpbusd_epi32, of which gcc 12 copies the sums */
#define WIDEST __attribute__((target("avx512f,avx512bw,avx512vnni,fma")))
WIDEST static inline __m512i add_groups(__m512i sums, __m512i x, const void *weights)
{
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(x), "v"(_mm512_loadu_si512(weights)));
    return sums;
}

#define NAME(function) function##_of_16
#define TARGET WIDEST
#define FLOATS 16
#define VECTOR floats_16
#define ROWS 6
#define SPREAD(number) _mm512_set1_ps(number)
#define ADD(sums, x, weights) _mm512_fmadd_ps(x, weights, sums)
#define SUMS __m512i
#define SPREAD_GROUP(from) _mm512_set1_epi32((int)*(const unaligned_32 *)(from))
#define ADD_GROUPS(sums, x, weights) add_groups(sums, x, weights)
#define TO_VECTOR(sums) _mm512_cvtepi32_ps(sums)
#include "net_layer.h"
#endif

/* Return the floats of the widest vector of this processor, at most `widest`. */
static int choose_width(int widest)
{
#ifdef HAS_WIDE_LAYERS
    __builtin_cpu_init();
    int has_fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (widest >= 16 && has_fma && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512vnni"))
        return 16;
    if (widest >= 8 && has_fma)
        return 8;
#endif
    (void)widest;
    return 4;
}

/* Return how many whole numbers are one group of bytes; if it is 1, they are floats. */
static int count_group(int widest) { return choose_width(widest) > 4 ? 4 : 1; }

/* Return the bytes of the whole numbers of one member. */
static size_t count_bytes(const net_sizes *net, int widest)
{
    size_t group = count_group(widest), columns = (net->columns + group - 1) / group * group;
    size_t rows = columns + ((size_t)net->depth * net->width + net->kinds) * net->channels;
    return rows * net->channels * (group == 1 ? sizeof(float) : 1);
}

/* Return the floats of one member. */
static size_t count_floats(const net_sizes *net)
{
    size_t channels = net->channels, heads = net->heads;
    size_t scales = 2 * (1 + net->depth) + net->kinds + 1;
    return (scales + PANEL + net->queries * channels + heads) * channels + heads;
}

/* Write to log_odds[members][n][heads_kept] the outputs for columns[net->columns][n].

   `step` is the size of 1 in a standardised column, and `groups` is [kinds][n], each below n.
   Returns -1 without memory, else 0. */
static int run_net(
    const net_sizes *net, const void *weights, const float *floats, const float *mean,
    const float *factor, float step, const float *columns, const int64_t *groups, ptrdiff_t n,
    float *log_odds, int heads_kept, int widest)
{
#ifdef HAS_WIDE_LAYERS
    if (choose_width(widest) == 16)
        return run_net_of_16(
            net, weights, floats, mean, factor, step, columns, groups, n, log_odds, heads_kept);
    if (choose_width(widest) == 8)
        return run_net_of_8(
            net, weights, floats, mean, factor, step, columns, groups, n, log_odds, heads_kept);
#endif
    return run_net_of_4(
        net, weights, floats, mean, factor, step, columns, groups, n, log_odds, heads_kept);
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

#endif
