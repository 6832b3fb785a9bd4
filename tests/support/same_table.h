/* same_table - compares two tables cell by cell. */
#ifndef SAME_TABLE_H
#define SAME_TABLE_H

#include "check.h"

#include "data/table.h"

/* Both tables have the same columns with the same cells, bit by bit. */
static inline void must_equal(const copse_table *a, const copse_table *b) {
    assert_true(cp_table_check(a));
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->cols, b->cols);
    for (size_t j = 0; j < a->cols; j++) {
        assert_string_equal(a->col[j].name, b->col[j].name);
        assert_int_equal(a->col[j].kind, b->col[j].kind);
        for (size_t i = 0; i < a->rows; i++) {
            double x = copse_table_number(a, i, j), y = copse_table_number(b, i, j);
            const char *s = copse_table_text(a, i, j), *t = copse_table_text(b, i, j);
            if (isnan(x) ? !isnan(y) : x != y) fail_msg("%s, row %zu: %.17g, not %.17g", a->col[j].name, i, x, y);
            if (!s != !t || (s && strcmp(s, t))) fail_msg("%s, row %zu: %s, not %s", a->col[j].name, i, s, t);
        }
    }
}

#endif
