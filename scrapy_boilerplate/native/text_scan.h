/* Words and white space of text, character by character; the twin of page/text.py. */

#ifndef SCRAPY_BOILERPLATE_TEXT_SCAN_H
#define SCRAPY_BOILERPLATE_TEXT_SCAN_H

#include <Python.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SCAN static inline __attribute__((always_inline))
#else
#define SCAN static inline
#endif

#define PLANE 0x10000

/* Kinds of characters. A dropped one is a mark to the words of a text that keeps it; from
   FIRST_SCRIPT on, a kind is a script that writes without spaces. */
enum { MARK, SPACE, LETTER, DROPPED, FIRST_SCRIPT };
#define MAX_SCRIPTS 4
#define MAX_RANGES 64

typedef struct {
    uint8_t kinds[PLANE];
    int scripts, ranges;
    int sizes[MAX_SCRIPTS];                 /* characters to a word of each script */
    Py_UCS4 first[MAX_RANGES], last[MAX_RANGES];
    uint8_t script[MAX_RANGES];             /* the script of each range */
} character_kinds;

static inline int is_dropped(Py_UCS4 code)
{
    return code <= 0x08 || (0x0e <= code && code <= 0x1b) || code == 0x7f
        || (0xd800 <= code && code <= 0xdfff) || code == 0xfffe || code == 0xffff;
}

static inline int find_kind(const character_kinds *table, Py_UCS4 code)
{
    for (int range = 0; range < table->ranges; range++)
        if (table->first[range] <= code && code <= table->last[range])
            return FIRST_SCRIPT + table->script[range];
    if (is_dropped(code))
        return DROPPED;
    if (Py_UNICODE_ISSPACE(code))
        return SPACE;
    return Py_UNICODE_ISALNUM(code) ? LETTER : MARK;
}

static inline void fill_kinds(character_kinds *table)
{
    for (Py_UCS4 code = 0; code < PLANE; code++)
        table->kinds[code] = (uint8_t)find_kind(table, code);
}

SCAN int kind_of(const character_kinds *table, Py_UCS4 code, int width)
{
    return width < 4 || code < PLANE ? table->kinds[code] : find_kind(table, code);
}

/* The word that a scan is in: NONE, SPACED or FIRST_SCRIPT + its script. */
enum { NONE, SPACED };

typedef struct {
    int64_t words;
    int inside, left;                       /* characters that an unspaced word can still take */
} word_state;

/* Read one character; return whether it starts a word. */
SCAN int read_character(const character_kinds *table, word_state *state, int kind)
{
    if (kind == LETTER) {
        if (state->inside == SPACED)
            return 0;
        state->inside = SPACED;
    } else if (kind >= FIRST_SCRIPT) {
        if (state->inside == kind && state->left > 0) {
            state->left--;
            return 0;
        }
        state->inside = kind;
        state->left = table->sizes[kind - FIRST_SCRIPT] - 1;
    } else {
        if (kind == SPACE || state->inside != SPACED)
            state->inside = NONE;
        return 0;
    }
    state->words++;
    return 1;
}

/* A text that is put together from leaves, its white space collapsed. */
typedef struct {
    Py_UCS4 *codes;
    Py_ssize_t size, capacity;
    int pending;                            /* whether white space stands before the next one */
    int changed;                            /* whether white space other than " " was read */
    word_state state;
} collapsed_text;

SCAN void read_leaf_of_width(
    const character_kinds *table, collapsed_text *text, const void *data, Py_ssize_t length,
    const int width)
{
    Py_UCS4 *to = text->codes + text->size;
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 code = width == 1 ? ((const Py_UCS1 *)data)[i]
            : width == 2 ? ((const Py_UCS2 *)data)[i] : ((const Py_UCS4 *)data)[i];
        int kind = kind_of(table, code, width);
        if (kind == DROPPED)
            continue;
        if (kind == SPACE) {
            text->pending = 1;
            text->changed |= code != ' ';
            continue;
        }
        if (text->pending) {
            text->pending = 0;
            if (to != text->codes)
                *to++ = ' ';
            text->state.inside = NONE;
        }
        *to++ = code;
        read_character(table, &text->state, kind);
    }
    text->size = to - text->codes;
}

/* Add a leaf; there must be room for its characters and one space. */
static inline void read_leaf(
    const character_kinds *table, collapsed_text *text, const void *data, Py_ssize_t length,
    int width)
{
    if (width == 1)
        read_leaf_of_width(table, text, data, length, 1);
    else if (width == 2)
        read_leaf_of_width(table, text, data, length, 2);
    else
        read_leaf_of_width(table, text, data, length, 4);
}

SCAN int64_t count_words_of_width(
    const character_kinds *table, const void *data, Py_ssize_t length, const int width)
{
    word_state state = {0, NONE, 0};
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 code = width == 1 ? ((const Py_UCS1 *)data)[i]
            : width == 2 ? ((const Py_UCS2 *)data)[i] : ((const Py_UCS4 *)data)[i];
        read_character(table, &state, kind_of(table, code, width));
    }
    return state.words;
}

static inline int64_t scan_words(
    const character_kinds *table, const void *data, Py_ssize_t length, int width)
{
    if (width == 1)
        return count_words_of_width(table, data, length, 1);
    if (width == 2)
        return count_words_of_width(table, data, length, 2);
    return count_words_of_width(table, data, length, 4);
}

/* The lines of a text: those of `wrap_lines`, of `width` characters. */
static inline void scan_lines(
    const character_kinds *table, const void *data, Py_ssize_t length, int width,
    int64_t line_width, int64_t *full_words, int64_t *full_lines)
{
    word_state state = {0, NONE, 0};
    int64_t lines = 0, on_line = 0, used = -1, word = 0;
    for (Py_ssize_t i = 0; i <= length; i++) {
        int before = state.inside, starts = 0;
        if (i < length) {
            Py_UCS4 code = PyUnicode_READ(width, data, i);
            starts = read_character(table, &state, kind_of(table, code, 4));
        } else
            state.inside = NONE;
        if (before != NONE && (starts || state.inside == NONE)) { /* the word before ends here */
            used += word + 1;
            on_line++;
            if (used > line_width) {
                lines++;
                used = word;
                on_line = 1;
            }
        }
        word = starts ? 1 : word + 1;
    }
    *full_words = lines ? state.words - on_line : state.words;
    *full_lines = lines ? lines : 1;
}

/* Count the characters of each kind by the table of `kinds`; those beyond it are like its last. */
static inline void scan_kinds(
    const uint8_t *kinds, const void *data, Py_ssize_t length, int width, double *counts,
    int n_kinds)
{
    uint32_t found[4][16] = {{0}};
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 code = PyUnicode_READ(width, data, i);
        found[i & 3][kinds[code < PLANE ? code : PLANE - 1] & 15]++;
    }
    for (int kind = 0; kind < n_kinds; kind++)
        counts[kind] = (double)found[0][kind] + found[1][kind] + found[2][kind] + found[3][kind];
}

/* --- runs of words --- */

static inline uint64_t mix_hash(uint64_t code, uint64_t more)
{
    code = (code ^ more) * 0x9E3779B97F4A7C15u;
    return code ^ (code >> 29);
}

/* Hash a character in lower case; texts that are equal after str.lower() have equal hashes. */
static inline uint64_t mix_lower(uint64_t hash, Py_UCS4 code)
{
    if (code < 0x80)
        return mix_hash(hash, code | ('A' <= code && code <= 'Z' ? 0x20 : 0));
    if (code == 0x130) /* the only one whose lower case are two */
        return mix_hash(mix_hash(hash, 'i'), 0x307);
    code = Py_UNICODE_TOLOWER(code);
    return mix_hash(hash, code == 0x3c2 ? 0x3c3 : code); /* the sigma at the end of words */
}

SCAN Py_ssize_t hash_words_of_width(
    const character_kinds *table, const void *data, Py_ssize_t length, uint64_t seed,
    uint64_t *hashes, const int width)
{
    word_state state = {0, NONE, 0};
    Py_ssize_t words = 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 code = PyUnicode_READ(width, data, i);
        if (read_character(table, &state, kind_of(table, code, width)))
            hashes[words++] = mix_lower(seed, code);
        else if (state.inside != NONE)
            hashes[words - 1] = mix_lower(hashes[words - 1], code);
    }
    return words;
}

/* Write a hash of each word of a text in lower case; return how many there are. */
static inline Py_ssize_t hash_words(
    const character_kinds *table, const void *data, Py_ssize_t length, int width, uint64_t seed,
    uint64_t *hashes)
{
    switch (width) {
    case 1: return hash_words_of_width(table, data, length, seed, hashes, 1);
    case 2: return hash_words_of_width(table, data, length, seed, hashes, 2);
    default: return hash_words_of_width(table, data, length, seed, hashes, 4);
    }
}

/* Hash the runs of `size` words in place; return how many there are. */
static inline Py_ssize_t hash_runs(uint64_t *hashes, Py_ssize_t words, Py_ssize_t size)
{
    Py_ssize_t runs = words < size ? 0 : words - size + 1;
    for (Py_ssize_t run = 0; run < runs; run++)
        for (Py_ssize_t k = 1; k < size; k++)
            hashes[run] = mix_hash(hashes[run], hashes[run + k]);
    return runs;
}

/* Runs that were read: an open table. */
typedef struct {
    uint64_t code;
    int32_t group;                          /* the first group that holds it; 0: an empty slot */
    int32_t block;                          /* the last block that was asked about it */
} known_run;

typedef struct {
    known_run *slots;
    size_t size, used;                      /* slots, a power of two; those that are not empty */
} run_table;

#define NO_GROUP INT32_MAX

static inline known_run *find_run(const run_table *table, uint64_t code)
{
    size_t slot = code & (table->size - 1);
    while (table->slots[slot].group && table->slots[slot].code != code)
        slot = (slot + 1) & (table->size - 1);
    return table->slots + slot;
}

/* Make room for `more` runs; return -1 without memory. */
static inline int reserve_runs(run_table *table, size_t more)
{
    run_table larger = {NULL, table->size ? table->size : 1024, table->used};
    while (2 * (table->used + more) > larger.size)
        larger.size *= 2;
    if (larger.size == table->size)
        return 0;
    larger.slots = PyMem_Calloc(larger.size, sizeof(known_run));
    if (larger.slots == NULL)
        return -1;
    for (size_t slot = 0; slot < table->size; slot++)
        if (table->slots[slot].group)
            *find_run(&larger, table->slots[slot].code) = table->slots[slot];
    PyMem_Free(table->slots);
    *table = larger;
    return 0;
}

#endif
