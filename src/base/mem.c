/* mem - allocation with counters, and arrays aligned to cache lines. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Test hooks, not program state: nothing the library computes depends on them. */
static atomic_long fail_after = -1;
static atomic_size_t count, live;

enum { LINE = 64 }; /* bytes of a cache line */

/* Counts an allocation; 1 if a test wants it to fail. */
static int must_fail(void) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    long left = atomic_load_explicit(&fail_after, memory_order_relaxed);
    if (left < 0) return 0;
    if (left == 0) return 1;
    atomic_store_explicit(&fail_after, left - 1, memory_order_relaxed);
    return 0;
}

void cp_mem_fail_after(long n) {
    atomic_store(&fail_after, n);
}

size_t cp_mem_count(void) {
    return atomic_load(&count);
}

size_t cp_mem_live(void) {
    return atomic_load(&live);
}

static void *counted(void *p) {
    if (p) atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
    return p;
}

static void release(void *p) {
    if (p) atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
    free(p);
}

static void *move(void *opt_old, size_t total) {
    return opt_old ? realloc(opt_old, total) : counted(malloc(total));
}

static size_t bytes_of(size_t n, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(n, size, &total) || total > PTRDIFF_MAX) return 0;
    return total ? total : 1;
}

void *cp_mem_new(size_t n, size_t size) {
    size_t total = bytes_of(n, size);
    return !total || must_fail() ? NULL : counted(calloc(1, total));
}

/* Large blocks ask for huge pages: with small ones the kernel needs as much time to provide the pages of a table as the
 * library needs to read its numbers.  A kernel without huge pages ignores the request. */
static void *large(size_t total) {
    enum { PAGE = 2 << 20 };
    if (total > PTRDIFF_MAX - PAGE) return NULL;
    total = (total + PAGE - 1) / PAGE * PAGE; /* the kernel makes small pages of a part of a huge one */
    void *p = aligned_alloc(PAGE, total);
#ifdef MADV_HUGEPAGE
    if (p) madvise(p, total, MADV_HUGEPAGE);
#endif
    return p;
}

void *cp_mem_raw(size_t n, size_t size) {
    enum { LARGE = 4 << 20 };
    size_t total = bytes_of(n, size);
    if (!total || must_fail()) return NULL;
    return counted(total < LARGE ? malloc(total) : large(total));
}

void *cp_mem_aligned(size_t n, size_t size) {
    size_t total = bytes_of(n, size);
    if (!total || total > PTRDIFF_MAX - LINE || must_fail()) return NULL;
    return counted(aligned_alloc(LINE, (total + LINE - 1) / LINE * LINE));
}

void *cp_mem_resize(void *old, size_t n, size_t size) {
    size_t total = bytes_of(n, size);
    return !total || must_fail() ? NULL : move(old, total);
}

char *cp_mem_strndup(const char *s, size_t n) {
    char *copy = cp_mem_raw(n + 1, 1);
    if (copy) {
        memcpy(copy, s, n);
        copy[n] = '\0';
    }
    return copy;
}

char *cp_mem_strdup(const char *s) {
    return cp_mem_strndup(s, strlen(s));
}

void cp_mem_free(void *p) {
    release(p);
}

/* The block begins `shift` bytes before the array, 1 to LINE, and the last of these bytes holds the shift.  realloc
 * grows large blocks by remapping their pages, without a copy, and the shift stays the same. */
static unsigned char *block_of(void *array) {
    unsigned char *p = array;
    return p - p[-1];
}

/* The block holds `kept` bytes of the array, old_shift from its beginning.  New memory is not touched: it may be large
 * and never be used. */
static void *resize_lines(void *block, size_t old_shift, size_t kept, size_t total, size_t size) {
    if (!total || total > PTRDIFF_MAX - LINE || must_fail()) return NULL;
    unsigned char *moved = move(block, total + LINE);
    if (!moved) return NULL;
    size_t shift = LINE - ((uintptr_t)moved + size) % LINE;
    if (kept && shift != old_shift) memmove(moved + shift, moved + old_shift, kept);
    moved[shift - 1] = (unsigned char)shift;
    return moved + shift;
}

void *cp_mem_resize_lines(void *old, size_t had, size_t n, size_t size) {
    unsigned char *block = old ? block_of(old) : NULL;
    size_t shift = old ? (size_t)((unsigned char *)old - block) : 0, kept = old ? (had < n ? had : n) * size : 0;
    return resize_lines(block, shift, kept, bytes_of(n, size), size);
}

void *cp_mem_to_lines(void *plain, size_t n, size_t size) {
    return resize_lines(plain, 0, n * size, bytes_of(n, size), size);
}

void cp_mem_free_lines(void *p) {
    if (p) release(block_of(p));
}

static void *resize_plain(void *old, size_t had, size_t n, size_t size) {
    (void)had;
    return cp_mem_resize(old, n, size);
}

/* ptr_slot is the address of a T *.  It is read and written by memcpy: a T * may not be accessed as a void *. */
static copse_status grow(void *ptr_slot, size_t *cap, size_t need, size_t size,
                         void *(*resize)(void *old, size_t had, size_t n, size_t size), copse_error *err) {
    if (need <= *cap) return COPSE_OK;
    void *old;
    memcpy(&old, ptr_slot, sizeof old);
    size_t bigger = *cap < 8 ? 8 : *cap + *cap / 2;
    if (bigger < need) bigger = need;
    void *moved = resize(old, *cap, bigger, size);
    if (!moved) return cp_fail_memory(err);
    memcpy(ptr_slot, &moved, sizeof moved);
    *cap = bigger;
    return COPSE_OK;
}

copse_status cp_mem_grow(void *ptr_slot, size_t *cap, size_t need, size_t size, copse_error *err) {
    return grow(ptr_slot, cap, need, size, resize_plain, err);
}

copse_status cp_mem_grow_lines(void *ptr_slot, size_t *cap, size_t need, size_t size, copse_error *err) {
    return grow(ptr_slot, cap, need, size, cp_mem_resize_lines, err);
}

void cp_mem_prefault(void *from, size_t bytes) {
#ifdef MADV_POPULATE_WRITE
    enum { PAGE = 4096, LEAST = 4 * PAGE };
    if (bytes < LEAST) return;
    size_t skip =
        (PAGE - (uintptr_t)from % PAGE) % PAGE; /* whole pages only; the first, partial one is in use already */
    madvise((unsigned char *)from + skip, (bytes - skip) / PAGE * PAGE, MADV_POPULATE_WRITE);
#else
    (void)from, (void)bytes;
#endif
}
