/* Rows of simhashes that differ in few bits from another simhash. */

#include <stddef.h>
#include <stdint.h>

static inline int count_bits(uint64_t number)
{
    number -= number >> 1 & 0x5555555555555555u;
    number = (number & 0x3333333333333333u) + (number >> 2 & 0x3333333333333333u);
    number = (number + (number >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int)(number * 0x0101010101010101u >> 56);
}

/* Bits that differ in one half at least are no more than in both, and counted at once. */
#define FIND_NEAR(name, count) \
    static ptrdiff_t name( \
        const uint64_t *ones, const uint64_t *others, ptrdiff_t n, uint64_t one, uint64_t other, \
        int most, int64_t *found) \
    { \
        ptrdiff_t size = 0; \
        for (ptrdiff_t row = 0; row < n; row++) { \
            uint64_t first = ones[row] ^ one, second = others[row] ^ other; \
            if (count(first | second) <= most && count(first) + count(second) <= most) \
                found[size++] = row; \
        } \
        return size; \
    }

FIND_NEAR(find_near_anywhere, count_bits)

#if defined(__GNUC__) && defined(__x86_64__)
__attribute__((target("popcnt"))) FIND_NEAR(find_near_by_popcnt, __builtin_popcountll)

static ptrdiff_t find_near_rows(
    const uint64_t *ones, const uint64_t *others, ptrdiff_t n, uint64_t one, uint64_t other,
    int most, int64_t *found)
{
    if (__builtin_cpu_supports("popcnt"))
        return find_near_by_popcnt(ones, others, n, one, other, most, found);
    return find_near_anywhere(ones, others, n, one, other, most, found);
}
#else
#define find_near_rows find_near_anywhere
#endif
