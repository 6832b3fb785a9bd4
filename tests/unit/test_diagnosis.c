/* The verdict on chains, and the number of draws that it says they need. */
#include "check.h"

#include "method/diagnosis.h"

static const cp_diagnosis_chains slow = {.chains = 4,
                                         .draws = 1000,
                                         .most_draws = 10000000,
                                         .rhat = 1.01,
                                         .most_rhat = 1.05,
                                         .ess = 16,
                                         .least_ess = 100,
                                         .if_not_converged = "go on."};

static void effective_draws_grow_as_the_draws_do(void **state) {
    (void)state;
    cp_diagnosis_chains c = slow;
    assert_int_equal(cp_diagnosis_draws_needed(&c), 6300); /* 1000 * 100 / 16 = 6250 */
    c.ess = 100;
    assert_int_equal(cp_diagnosis_draws_needed(&c), 1000);
    c.ess = 5000; /* enough draws are never too many */
    assert_int_equal(cp_diagnosis_draws_needed(&c), 1000);
}

static void rhat_squared_less_one_falls_as_one_over_the_draws(void **state) {
    (void)state;
    cp_diagnosis_chains c = slow;
    c.ess = 1000;
    c.rhat = 1.5; /* 1000 * 1.25 / .1025 = 12195 */
    assert_int_equal(cp_diagnosis_draws_needed(&c), 13000);
    c.ess = 5; /* the worse of both: 20000 */
    assert_int_equal(cp_diagnosis_draws_needed(&c), 20000);
}

static void what_cannot_be_told_is_0(void **state) {
    (void)state;
    cp_diagnosis_chains c = slow;
    c.rhat = INFINITY;
    assert_int_equal(cp_diagnosis_draws_needed(&c), 0);
    c = slow;
    c.rhat = NAN;
    assert_int_equal(cp_diagnosis_draws_needed(&c), 0);
    c = slow;
    c.ess = NAN;
    assert_int_equal(cp_diagnosis_draws_needed(&c), 0);
    c = slow;
    c.most_draws = 6249;
    assert_int_equal(cp_diagnosis_draws_needed(&c), 0);
    c.most_draws = 6250; /* rounding does not exceed it */
    assert_int_equal(cp_diagnosis_draws_needed(&c), 6250);
}

static copse_diagnosis judged(const cp_diagnosis_chains *c) {
    copse_diagnosis d = {.ok = 1};
    cp_diagnosis_at_most(&d, "rhat", c->rhat, c->most_rhat, "");
    cp_diagnosis_at_least(&d, "ess", c->ess, c->least_ess, "");
    cp_diagnosis_judge_chains(&d, c);
    return d;
}

static void the_verdict_says_how_many_draws_it_takes(void **state) {
    (void)state;
    cp_diagnosis_chains c = slow;
    assert_non_null(strstr(judged(&c).verdict, "need `samples=6300` at the least"));
    c.rhat = 1.5;
    assert_non_null(strstr(judged(&c).verdict, "need `samples=13000` at the least"));
    c.rhat = INFINITY;
    assert_non_null(strstr(judged(&c).verdict, "No possible number"));
    c.rhat = NAN; /* too few draws to tell, and the verdict says so */
    assert_null(strstr(judged(&c).verdict, "Expect to need"));
    c = slow;
    c.draws = 0; /* a method that does not estimate */
    assert_null(strstr(judged(&c).verdict, "Expect to need"));
    c = slow;
    c.ess = 100;
    assert_null(strstr(judged(&c).verdict, "Expect to need"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effective_draws_grow_as_the_draws_do),
        cmocka_unit_test(rhat_squared_less_one_falls_as_one_over_the_draws),
        cmocka_unit_test(what_cannot_be_told_is_0),
        cmocka_unit_test(the_verdict_says_how_many_draws_it_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
