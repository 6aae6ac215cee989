/* The simhash of words, and rows of simhashes that differ in few bits from another one. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The numbers of site/hashing.py and site/fingerprints.py. */
static const uint64_t BASE = 0x9E3779B97F4A7C15u;
static const uint64_t SECOND_HALF = 0xC2B2AE3D27D4EB4Fu, OF_SHINGLE = 0x165667B19E3779F9u;
enum { SHINGLE = 3, SIZE_BITS = 64 };

static inline uint64_t scramble(uint64_t number)
{
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9u;
    number = (number ^ number >> 27) * 0x94D049BB133111EBu;
    return number ^ number >> 31;
}

/* Sort by one byte after another; `spare` is as large. */
static void sort_numbers(uint64_t *numbers, uint64_t *spare, ptrdiff_t n)
{
    for (int shift = 0; shift < 64; shift += 8) {
        ptrdiff_t ends[256] = {0}, sum = 0;
        for (ptrdiff_t i = 0; i < n; i++)
            ends[numbers[i] >> shift & 255]++;
        for (int byte = 0; byte < 256; byte++)
            sum = ends[byte] += sum;
        for (ptrdiff_t i = n - 1; i >= 0; i--)
            spare[--ends[numbers[i] >> shift & 255]] = numbers[i];
        uint64_t *sorted = spare;
        spare = numbers;
        numbers = sorted;
    }
}

/* Count each bit of a number: bit b of the counts is in the bits b of `counts`. */
static inline void count_votes(uint64_t *counts, uint64_t number)
{
    for (; number; counts++) {
        uint64_t carry = *counts & number;
        *counts ^= number;
        number = carry;
    }
}

static uint64_t find_majority(const uint64_t *counts, ptrdiff_t n)
{
    uint64_t bits = 0;
    for (int bit = 0; bit < 64; bit++) {
        ptrdiff_t votes = 0;
        for (int power = 0; power < SIZE_BITS - 2; power++)
            votes += (ptrdiff_t)(counts[power] >> bit & 1) << power;
        bits |= (uint64_t)(votes * 2 > n) << bit;
    }
    return bits;
}

/* Write the simhash of the hashes of `n` words, SHINGLE or more. They are lost, and so are as many
   numbers behind them. */
static void compute_simhash(uint64_t *words, ptrdiff_t n, uint64_t *bits)
{
    uint64_t counts[2][SIZE_BITS];
    ptrdiff_t size = n - SHINGLE + 1, distinct = 0;
    memset(counts, 0, sizeof counts);
    for (ptrdiff_t i = 0; i < size; i++) {
        uint64_t shingle = 0;
        for (int shift = 0; shift < SHINGLE; shift++)
            shingle = scramble(shingle * OF_SHINGLE + words[i + shift]);
        words[i] = shingle;
    }
    sort_numbers(words, words + n, size);
    for (ptrdiff_t i = 0; i < size; i++) {
        if (i && words[i] == words[i - 1])
            continue;
        distinct++;
        count_votes(counts[0], scramble(words[i]));
        count_votes(counts[1], scramble(words[i] ^ SECOND_HALF));
    }
    for (int half = 0; half < 2; half++)
        bits[half] = find_majority(counts[half], distinct);
}

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
