/* Least squares against GSL's, by singular values; columns that say nothing; columns that are nearly alike. */
#include "check.h"

#include <gsl/gsl_multifit.h>

#include "num/draw.h"
#include "num/lsq.h"

enum { ROWS = 60, MOST = 8 };

static double squares(const double *v) {
    double sum = 0;
    for (size_t i = 0; i < ROWS; i++) sum += v[i] * v[i];
    return sum;
}

static double gsl_squares(const double *column, size_t columns, const double *y) {
    gsl_matrix *x = gsl_matrix_alloc(ROWS, columns), *cov = gsl_matrix_alloc(columns, columns);
    gsl_vector *t = gsl_vector_alloc(ROWS), *c = gsl_vector_alloc(columns);
    gsl_multifit_linear_workspace *w = gsl_multifit_linear_alloc(ROWS, columns);
    double chisq;
    size_t rank;
    for (size_t i = 0; i < ROWS; i++) {
        gsl_vector_set(t, i, y[i]);
        for (size_t j = 0; j < columns; j++) gsl_matrix_set(x, i, j, column[j * ROWS + i]);
    }
    gsl_multifit_linear_tsvd(x, t, 1e-10, c, cov, &chisq, &rank, w);
    gsl_multifit_linear_free(w);
    gsl_matrix_free(x);
    gsl_matrix_free(cov);
    gsl_vector_free(t);
    gsl_vector_free(c);
    return chisq;
}

/* Ones, then normals about `offset`. */
static void make(const char *name, double offset, double *column, double *y) {
    cp_rng rng;
    cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < ROWS; i++) {
        column[i] = 1;
        for (size_t j = 1; j < MOST; j++) column[j * ROWS + i] = offset + cp_draw_normal(&rng);
        y[i] = column[ROWS + i] - 2 * column[2 * ROWS + i] + cp_draw_normal(&rng);
    }
}

static void residual_is_that_of_gsl(void **state) {
    (void)state;
    const double offsets[] = {0, 1, 1e5};
    for (size_t k = 0; k < COUNT(offsets); k++)
        for (size_t columns = 1; columns <= MOST; columns++) {
            double column[MOST * ROWS], y[ROWS];
            make("least squares", offsets[k], column, y);
            double want = gsl_squares(column, columns, y);
            assert_int_equal(cp_lsq_reduce(column, ROWS, columns, 1e-9, y), columns);
            assert_rel(squares(y), want, 1e-9);
        }
}

static void columns_that_say_nothing_are_left_out(void **state) {
    (void)state;
    double column[MOST * ROWS], y[ROWS];
    make("collinear", 3, column, y);
    double want = gsl_squares(column, 3, y);
    for (size_t i = 0; i < ROWS; i++) {
        column[3 * ROWS + i] = 7;
        column[4 * ROWS + i] = 0;
        column[5 * ROWS + i] = 5 * column[ROWS + i] - column[2 * ROWS + i] + 1;
        column[6 * ROWS + i] = column[2 * ROWS + i];
        column[7 * ROWS + i] = column[ROWS + i] * (1 + 1e-12 * (double)(i % 3));
    }
    assert_int_equal(cp_lsq_reduce(column, ROWS, MOST, 1e-7, y), 3);
    assert_rel(squares(y), want, 1e-9);
}

/* Hilbert's columns: all but dependent, and the residual is still right. */
static void nearly_dependent_columns_do_no_harm(void **state) {
    (void)state;
    double column[MOST * ROWS], y[ROWS];
    make("nearly dependent", 0, column, y);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < 5; j++) column[j * ROWS + i] = 1 / (1 + (double)i / 10 + (double)j / 10);
    double want = gsl_squares(column, 5, y);
    assert_int_equal(cp_lsq_reduce(column, ROWS, 5, 1e-9, y), 5);
    assert_rel(squares(y), want, 1e-6);
}

static void an_exact_fit_leaves_nothing(void **state) {
    (void)state;
    double column[MOST * ROWS], y[ROWS];
    make("exact", 0, column, y);
    for (size_t i = 0; i < ROWS; i++) y[i] = 4 - column[3 * ROWS + i];
    cp_lsq_reduce(column, ROWS, MOST, 1e-9, y);
    assert_true(squares(y) < 1e-24);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residual_is_that_of_gsl),
        cmocka_unit_test(columns_that_say_nothing_are_left_out),
        cmocka_unit_test(nearly_dependent_columns_do_no_harm),
        cmocka_unit_test(an_exact_fit_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
