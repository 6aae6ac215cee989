/* Boosted trees, all nodes of a tree at once for LANES rows: the leaves that a comparison rules out
   are bits of its mask, and the lowest bit that is left is the leaf of a row (Lucchese et al. 2015,
   QuickScorer). Vectors are those of gcc and clang. */

#ifndef SCRAPY_BOILERPLATE_TREE_LEAVES_H
#define SCRAPY_BOILERPLATE_TREE_LEAVES_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define LANES 32

#if defined(__GNUC__)
#define PARTS 2
typedef float float_lanes __attribute__((vector_size(64), aligned(4), may_alias));
typedef uint32_t mask_lanes __attribute__((vector_size(64), aligned(4), may_alias));
#define LANE(lanes, number) (lanes)[number]
#define ALL_LEAVES (~(mask_lanes){0})
#define OVER(lanes, threshold) (mask_lanes)((lanes) > (threshold))
#else
#define PARTS LANES
typedef float float_lanes;
typedef uint32_t mask_lanes;
#define ALL_LEAVES UINT32_MAX
#define LANE(lanes, number) (lanes)
#define OVER(lanes, threshold) ((lanes) > (threshold) ? UINT32_MAX : 0)
#endif

static int lowest_bit(uint32_t bits)
{
#if defined(__GNUC__)
    return __builtin_ctz(bits);
#else
    int number = 0;
    while (!(bits & 1))
        bits >>= 1, number++;
    return number;
#endif
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O3")
#endif

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
static void score_lanes(
    const float *columns, const int32_t *features, const float *thresholds, const uint32_t *masks,
    const double *values, ptrdiff_t trees, ptrdiff_t nodes, ptrdiff_t leaves, double *sums)
{
    for (ptrdiff_t tree = 0; tree < trees; tree++) {
        mask_lanes left[PARTS];
        for (int part = 0; part < PARTS; part++)
            left[part] = ALL_LEAVES;
        for (ptrdiff_t node = tree * nodes; node < (tree + 1) * nodes; node++) {
            const float_lanes *column = (const float_lanes *)(columns + features[node] * LANES);
            for (int part = 0; part < PARTS; part++)
                left[part] &= ~OVER(column[part], thresholds[node]) | masks[node];
        }
        const double *of_tree = values + tree * leaves;
        for (int part = 0; part < PARTS; part++)
            for (int lane = 0; lane < LANES / PARTS; lane++)
                sums[part * (LANES / PARTS) + lane] += of_tree[lowest_bit(LANE(left[part], lane))];
    }
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* Add the values of the leaves of rows[n][n_columns] to sums[n]. Returns -1 without memory, else 0.

   `row_step` and `column_step` are the numbers between two rows and two columns of `rows`. */
static int score_trees(
    const float *rows, ptrdiff_t row_step, ptrdiff_t column_step, ptrdiff_t n, ptrdiff_t n_columns,
    const int32_t *features, const float *thresholds, const uint32_t *masks, const double *values,
    ptrdiff_t trees, ptrdiff_t nodes, ptrdiff_t leaves, double *sums)
{
    float *columns = calloc((size_t)n_columns * LANES, sizeof(float));
    if (columns == NULL)
        return -1;
    for (ptrdiff_t first = 0; first < n; first += LANES) {
        ptrdiff_t count = n - first < LANES ? n - first : LANES;
        double of_lanes[LANES] = {0};
        for (ptrdiff_t column = 0; column < n_columns; column++)
            for (ptrdiff_t lane = 0; lane < count; lane++)
                columns[column * LANES + lane] =
                    rows[(first + lane) * row_step + column * column_step];
        score_lanes(columns, features, thresholds, masks, values, trees, nodes, leaves, of_lanes);
        for (ptrdiff_t lane = 0; lane < count; lane++)
            sums[first + lane] += of_lanes[lane];
    }
    free(columns);
    return 0;
}

#endif
