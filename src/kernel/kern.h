/* kern - the inner loops, in plain C and in AVX2, picked when the program runs.
 *
 * A box is 2*d floats: d lower bounds, then d upper bounds.  Sums run in four double lanes, lane i taking elements i,
 * i+4, i+8 ..., and are added up as (0+2)+(1+3).  The plain version fixes that order and the AVX2 version keeps it, so
 * both give the same bits; no fused multiply-add anywhere, for the same reason. */
#ifndef CP_KERN_H
#define CP_KERN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A number as a whole number in the same order; -0 is 0.  NaN has no place in it. */
static inline uint32_t cp_kern_key(float x) {
    uint32_t bits;
    x += 0.0f;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ (-(bits >> 31) | 0x80000000u);
}

static inline float cp_kern_unkey(uint32_t key) {
    uint32_t bits = key ^ (((key >> 31) - 1) | 0x80000000u);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

enum { CP_KEY_BLOCK_ROWS = 8, CP_KEY_BLOCK_DIMS = 64 };

typedef struct cp_kern {
    const char *name;
    /* How far x lies outside the box: sum over dimensions of max(x-u,0) + max(l-x,0). */
    double (*outside)(const float *box, const float *x, size_t d);
    /* The same against the box around rows row[0] ... row[n-1] (n >= 1) of the row-major matrix m. */
    double (*outside_rows)(const float *m, const int32_t *row, size_t n, const float *x, size_t d);
    /* The gaps that outside sums, laid end to end: the dimension of the one that holds the place *left from the
     * beginning, and in *left the place from the beginning of that gap; d if the place is behind the last. */
    size_t (*gap_at)(const float *box, const float *x, size_t d, double *left);
    /* Sum of the side lengths. */
    double (*extent)(const float *box, size_t d);
    /* Grows the box to hold x. */
    void (*include)(float *box, const float *x, size_t d);
    /* The box around rows row[0] ... row[n-1] (n >= 1) of the row-major matrix x. */
    void (*hull)(const float *x, size_t d, const int32_t *row, size_t n, float *out_box);
    /* Four columns of n numbers as rows of floats: row i, of four, begins at out[i * stride].  Each number less its
     * column's shift, but no farther than `limit` from 0; NaN stays NaN.  Returns 0 if one of them is infinite. */
    int (*interleave)(const double *const col[4], const double shift[4], double limit, size_t n, float *out,
                      size_t stride);
    /* The keys of n numbers, which may lie in the same memory; 0 if one of them is NaN. */
    int (*keys)(const float *x, size_t n, uint32_t *out);
    /* The same of n rows of d <= CP_KEY_BLOCK_DIMS columns, turned about for passes that take a key block of rows at
     * a time: key block by key block, column by column, the keys of its rows side by side.  The last key block may be
     * incomplete; its room is not.  Stops at a key block in which something is NaN, and returns 0. */
    int (*key_blocks)(const float *x, size_t n, size_t d, uint32_t *out);
    /* One column of such key blocks, the next one's `stride` later, from n numbers: each less the shift, but no
     * farther than `limit` from 0.  Returns 0 if one of them is NaN or infinite. */
    int (*gang_column)(const double *x, double shift, double limit, size_t n, uint32_t *out, size_t stride);
    /* Which of 64 bytes of text end a field, bit i for text[i]: the delimiter, the end of a line and 0.  And which are
     * neither the delimiter nor a digit. */
    uint64_t (*ends)(const char *text, char delimiter, uint64_t *out_other);
    /* The value of n <= 16 bytes that are digits and perhaps a point; 16 can be read.  Returns how many bytes there are
     * from the point on, 0 if there is none; -1 if there is anything else, or no digit. */
    int (*digits)(const char *text, size_t n, uint64_t *out);
} cp_kern;

/* Asks for the memory at p, to be read soon.  A function that only does this would look to GCC as if it did nothing,
 * and its calls would be dropped; the empty asm is there to be an effect. */
static inline void cp_kern_prefetch(const void *p) {
    __builtin_prefetch(p);
    __asm__ volatile("");
}

/* A node of a tree as tree.h lays it out for walks: a row whose key is above `cut` goes right. */
typedef struct cp_kern_step {
    uint32_t cut, way;
} cp_kern_step;

/* n + (step[i].cut < key).  One comparison and one addition of the carry, where compilers like to make four
 * instructions of it, and one more for the address. */
static inline size_t cp_kern_add_less(size_t n, const cp_kern_step *step, size_t i, uint32_t key) {
#if defined(__x86_64__) && defined(__GNUC__)
    __asm__("cmpl %1, (%2,%3,8)\n\tadcq $0, %0" : "+r"(n) : "r"(key), "r"(step), "r"(i) : "cc", "memory");
    return n;
#else
    return n + (step[i].cut < key);
#endif
}

/* The fastest that this processor runs. */
const cp_kern *cp_kern_best(void);
/* By name (plain, avx2); NULL if there is none or this processor cannot run it.  For tests. */
const cp_kern *cp_kern_find(const char *name);

#endif
