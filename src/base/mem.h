/* mem - checked allocation and growing arrays.
 *
 * Everything the library allocates passes through here, so that tests can make the k-th allocation fail and count how
 * many there are. */
#ifndef CP_MEM_H
#define CP_MEM_H

#include "base/fail.h"

/* NULL when there is no memory or n * size overflows.  n or size may be 0: the result is then still freeable. */
void *cp_mem_new(size_t n, size_t size);     /* zeroed */
void *cp_mem_raw(size_t n, size_t size);     /* not zeroed */
void *cp_mem_aligned(size_t n, size_t size); /* not zeroed, at the beginning of a cache line */
void *cp_mem_resize(void *old, size_t n, size_t size);
char *cp_mem_strdup(const char *s);
char *cp_mem_strndup(const char *s, size_t n);
void cp_mem_free(void *p);

/* The same with a status: CP_TRY(CP_NEW(ptr, n, err)). */
#define CP_NEW(ptr, n, err) (((ptr) = cp_mem_new((n), sizeof *(ptr))) ? COPSE_OK : cp_fail_memory(err))
#define CP_RAW(ptr, n, err) (((ptr) = cp_mem_raw((n), sizeof *(ptr))) ? COPSE_OK : cp_fail_memory(err))

/* Makes room for at least `need` elements; the room grows by half or more.  On failure the array is unchanged. */
#define CP_GROW(ptr, cap, need, err) \
    ((need) <= (cap) ? COPSE_OK : cp_mem_grow(&(ptr), &(cap), (need), sizeof *(ptr), (err)))
copse_status cp_mem_grow(void *ptr_slot, size_t *cap, size_t need, size_t size, copse_error *err);

/* Arrays aligned to cache lines, for elements that are read in random order: element 1 begins a line.  So an element of
 * 64 or 128 bytes lies on as few lines as possible, and elements of 32 bytes share a line in pairs (1,2), (3,4) ...
 * They grow as above.  Only cp_mem_resize_lines (from `had` to n elements) and cp_mem_free_lines may be used on
 * them. */
copse_status cp_mem_grow_lines(void *ptr_slot, size_t *cap, size_t need, size_t size, copse_error *err);
void *cp_mem_resize_lines(void *old, size_t had, size_t n, size_t size);
/* Converts an array of n elements from cp_mem_raw or cp_mem_new to such an array.  NULL if there is no memory; the
 * array is then unchanged. */
void *cp_mem_to_lines(void *plain, size_t n, size_t size);
void cp_mem_free_lines(void *p);

/* Asks the system for the pages of memory that will be written soon.  Without it each page costs a page fault, which
 * takes longer than filling the page.  Does nothing where the system has no such call. */
void cp_mem_prefault(void *from, size_t bytes);

/* Tests only: after n more allocations every further one fails; n < 0: none does. */
void cp_mem_fail_after(long n);
/* Allocations made so far by this process, and blocks that are not freed yet. */
size_t cp_mem_count(void);
size_t cp_mem_live(void);

#endif
