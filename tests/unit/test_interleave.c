#include "check.h"

#include "kernel/interleave.h"
#include "num/rng.h"

/* Columns into rows, every tier against one number after the other; nothing between the rows is touched. */
static void columns_become_rows(void **state) {
    (void)state;
    enum { N = 23, STRIDE = 6 };
    static const double odd[] = {NAN, -0.0, 1e300, -1e300, 3.4e38, 1e-310};
    cp_rng rng;
    cp_rng_init(&rng, seed_of("columns"), CP_FOR_TEST, 0, 0);
    for (cp_tier t = 0; t < CP_TIERS; t++)
        for (size_t n = 0; n <= N; n++)
            for (size_t at = 0; at <= 4 * n; at++) { /* where the infinite number is; 4n: nowhere */
                cp_interleave_fn k = cp_interleave_find(t);
                double x[4][N], shift[4] = {0, -3.5, 1e9, 1e-3};
                float out[N * STRIDE];
                for (size_t i = 0; k && i < 4 * N; i++)
                    x[i / N][i % N] =
                        cp_rng_below(&rng, 4) ? cp_rng_unit(&rng) - .5 : odd[cp_rng_below(&rng, COUNT(odd))];
                if (!k) continue;
                if (at < 4 * n) x[at / n][at % n] = at % 2 ? -INFINITY : INFINITY;
                memset(out, 0x5a, sizeof out);
                const double *col[] = {x[0], x[1], x[2], x[3]};
                assert_int_equal(k(col, shift, 1e37, n, out, STRIDE), at == 4 * n);
                for (size_t i = 0; i < N * STRIDE; i++) {
                    size_t row = i / STRIDE, c = i % STRIDE;
                    float want;
                    memset(&want, 0x5a, sizeof want);
                    if (row < n && c < 4) want = (float)fmax(-1e37, fmin(1e37, x[c][row] - shift[c]));
                    if (row < n && c < 4 && isnan(x[c][row]))
                        assert_true(isnan(out[i]));
                    else
                        assert_memory_equal(&out[i], &want, sizeof want);
                }
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_become_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
