/* Places in arrays of more than 2^31 elements.  The arrays are reserved addresses without memory: what is tested is
 * where an element lies, so no element is touched.  tests/unit/test_large.c fills some. */
#define _DEFAULT_SOURCE
#include "check.h"

#include <sys/mman.h>

#include "bart/core/bart_columns.h"
#include "base/mem.h"
#include "data/ranks.h"
#include "dyntree/dyntree.h"
#include "method/answer.h"
#include "mondrian/mondrian_tree.h"
#include "orf/orf_tree.h"

__extension__ typedef unsigned __int128 u128;

static const size_t reserved = (size_t)1 << 44;
/* More than 2^31 rows x columns or trees x nodes, by factors that are each below 2^31. */
enum { ROW = 2000000011, DIMS = 70000, DIM = 69999, CLASSES = 300, DRAWS = 1000 };

static void *reserve(void) {
    void *p = mmap(NULL, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) skip(); /* the system reserves no more than it has */
    return p;
}

/* The distance of an element from the beginning, with all arithmetic in 128 bits. */
static void assert_at(const void *element, const void *begin, u128 index, size_t size) {
    u128 bytes = index * size;
    assert_true(bytes < reserved);
    assert_true((const char *)element - (const char *)begin == (ptrdiff_t)bytes);
}

static void rows_and_boxes_of_mondrian(void **state) {
    (void)state;
    float *x = reserve();
    cp_mondrian_space s = {.x = x, .dims = 1000};
    cp_mondrian_tree t = {.box = x};
    assert_at(cp_mondrian_tree_row(&s, ROW), x, (u128)ROW * 1000, sizeof *x);
    assert_at(cp_mondrian_tree_own_box(&t, &s, ROW), x, (u128)ROW * 2 * 1000, sizeof *x);
    munmap(x, reserved);
}

static void rows_and_statistics_of_dyntree(void **state) {
    (void)state;
    void *memory = reserve();
    cp_dyntree f = {.x = memory, .dims = 1000, .pool = {.stat = memory, .width = CLASSES}};
    assert_at(cp_dyntree_row(&f, ROW), memory, (u128)ROW * 1000, sizeof(float));
    assert_at(cp_dyntree_pool_stat(&f.pool, ROW), memory, (u128)ROW * CLASSES, sizeof(double));
    munmap(memory, reserved);
}

static void columns_of_ranks(void **state) {
    (void)state;
    uint32_t *rank = reserve();
    size_t rows = 50000000;
    cp_ranks r = {.rank = rank, .rows = rows, .dims = DIMS};
    cp_bart_columns c = {.ranks = r};
    c.code = (uint16_t *)rank;
    assert_at(cp_ranks_column(&r, DIM), rank, (u128)DIM * rows, sizeof *rank);
    assert_at(cp_bart_columns_code(&c, DIM), rank, (u128)DIM * rows, sizeof(uint16_t));
    munmap(rank, reserved);
}

static void blocks_of_orf(void **state) {
    (void)state;
    void *memory = reserve();
    cp_orf_rules f = {.task = COPSE_CLASS, .tests = 20, .width = CLASSES};
    cp_orf_tree t = {.count = memory, .moment = memory};
    size_t leaf = 100000007;
    assert_at(cp_orf_tree_counts(&t, &f, leaf), memory, (u128)leaf * 22 * CLASSES, sizeof(uint32_t));
    f.task = COPSE_REGRESS;
    assert_at(cp_orf_tree_moments(&t, &f, leaf), memory, (u128)leaf * 42, sizeof(cp_orf_moments));
    munmap(memory, reserved);
}

static void answers_of_many_rows(void **state) {
    (void)state;
    void *memory = reserve();
    cp_answer a = {.gauss = memory, .drawn = memory, .classes = CLASSES, .per_row = DRAWS};
    size_t row = 5000003;
    u128 group = row / CP_ANSWER_ROWS * (u128)DRAWS + 7;
    assert_at(cp_answer_gauss(&a, row, 7), memory, group * CP_ANSWER_ROWS + row % CP_ANSWER_ROWS, sizeof(cp_gauss));
    assert_at(cp_answer_drawn(&a, row, 7), memory, ((u128)row * CLASSES + 7) * DRAWS, sizeof(float));
    munmap(memory, reserved);
}

/* Sizes that no memory holds are refused, and do not wrap round to small ones. */
static void sizes_that_overflow_are_refused(void **state) {
    (void)state;
    void *p = NULL;
    size_t cap = 0;
    copse_error err;
    assert_null(cp_mem_new(SIZE_MAX / 4, 8));
    assert_null(cp_mem_raw((size_t)1 << 61, 16));
    assert_null(cp_mem_resize(NULL, SIZE_MAX, 2));
    assert_int_equal(cp_mem_grow(&p, &cap, SIZE_MAX / 2, 8, &err), COPSE_E_MEMORY);
    assert_null(p);
    cp_ranks r;
    assert_int_equal(cp_ranks_init(&r, NULL, (size_t)INT32_MAX + 1, 1, NULL, &err), COPSE_E_DATA);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_boxes_of_mondrian), cmocka_unit_test(rows_and_statistics_of_dyntree),
        cmocka_unit_test(columns_of_ranks),           cmocka_unit_test(blocks_of_orf),
        cmocka_unit_test(answers_of_many_rows),       cmocka_unit_test(sizes_that_overflow_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
