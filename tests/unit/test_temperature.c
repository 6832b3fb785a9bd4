/* Probabilities whose error is known, and what is learnt from few rows. */
#include "check.h"

#include "base/mem.h"
#include "method/temperature.h"
#include "num/draw.h"

enum { CLASSES = 3, MANY = 4000 };

static cp_temperature start(size_t rows) {
    copse_error err;
    cp_temperature t;
    int32_t *label = malloc(rows * sizeof *label);
    for (size_t i = 0; i < rows; i++) label[i] = (int32_t)(i % 4 % CLASSES); /* class 0 twice as often */
    const cp_rows r = {.task = COPSE_CLASS, .n = rows, .classes = CLASSES, .label = label};
    must(cp_temperature_init(&t, &r, &err), err);
    free(label);
    return t;
}

/* n rows whose labels follow p, and what says p^(1 / power), normalised, of them. */
typedef struct made {
    double *probs, *weight;
    size_t n;
} made;

static made make(const char *name, size_t n, double power, double lost) {
    made m = {malloc(n * CLASSES * sizeof *m.probs), calloc(n * CLASSES, sizeof *m.weight), n};
    cp_rng rng;
    cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < n; i++) {
        double p[CLASSES], sum = 0, u = cp_rng_unit(&rng), said = 0;
        for (size_t k = 0; k < CLASSES; k++) sum += p[k] = exp(2 * cp_draw_normal(&rng));
        size_t label = 0;
        for (double below = p[0] / sum; label + 1 < CLASSES && u > below; below += p[label] / sum) label++;
        if (cp_rng_unit(&rng) < lost) label = i % 4 % CLASSES; /* has nothing to do with p */
        m.weight[i * CLASSES + label] = 1;
        for (size_t k = 0; k < CLASSES; k++) said += m.probs[i * CLASSES + k] = pow(p[k] / sum, 1 / power);
        for (size_t k = 0; k < CLASSES; k++) m.probs[i * CLASSES + k] /= said;
    }
    return m;
}

static cp_temperature fitted(const made *m, size_t rows, double votes, double trees) {
    copse_error err;
    cp_temperature t = start(1000);
    const cp_temperature_unseen u = {m->probs, rows, m->weight, 1, votes, trees};
    must(cp_temperature_fit(&t, &u, &err), err);
    return t;
}

static void clear(made *m) {
    free(m->probs);
    free(m->weight);
}

static void shares_are_those_of_the_rows(void **state) {
    (void)state;
    cp_temperature t = start(1000);
    assert_near(t.share[0], 500.5 / 1001.5, 1e-12);
    assert_near(t.share[1], 250.5 / 1001.5, 1e-12);
    assert_near(t.power, 1, 0);
    assert_near(t.mix, .5 / 1001, 1e-12);
    cp_temperature_clear(&t);
}

static void nobody_says_0_or_1(void **state) {
    (void)state;
    cp_temperature none = {0}, t = start(1000);
    double p[CLASSES] = {0, 1, 0};
    cp_temperature_apply(&none, p);
    assert_true(p[0] == 0 && p[1] == 1);
    for (double power = .05; power <= 8; power += .53) {
        double q[CLASSES] = {0, 1, 0}, even[CLASSES] = {1. / 3, 1. / 3, 1. / 3}, order[CLASSES] = {.2, .5, .3};
        t.power = power;
        cp_temperature_apply(&t, q);
        assert_true(q[0] > 1e-5 && q[0] < .5 && q[1] < 1 - 1e-5 && q[1] > .5);
        assert_near(q[0] + q[1] + q[2], 1, 1e-12);
        cp_temperature_apply(&t, even);
        assert_near(even[1], (1 - t.mix) / 3 + t.mix * t.share[1], 1e-12);
        cp_temperature_apply(&t, order);
        assert_true(order[0] < order[2] && order[2] < order[1]);
    }
    /* By hand: .8^2 and .2^2. */
    double r[CLASSES] = {.8, .2, 0};
    t.power = 2;
    t.mix = .1;
    cp_temperature_apply(&t, r);
    assert_near(r[0], .9 * .64 / .68 + .1 * t.share[0], 1e-12);
    cp_temperature_clear(&t);
}

static void a_known_temperature_is_found(void **state) {
    (void)state;
    static const double power[] = {.4, 1, 2.5};
    for (size_t i = 0; i < COUNT(power); i++) {
        made m = make("known", MANY, power[i], 0);
        cp_temperature t = fitted(&m, MANY, 1, 1);
        assert_true(fabs(log(t.power / power[i])) < .1);
        assert_true(t.mix < .01);
        cp_temperature_clear(&t);
        clear(&m);
    }
}

/* Labels that are lost in a fifth of the rows are the share of the classes there; a tenth of the trees need a tenth. */
static void a_known_mix_is_found(void **state) {
    (void)state;
    made m = make("lost", 5 * MANY, 2, .2);
    cp_temperature t = fitted(&m, 5 * MANY, 1, 1), tenth = fitted(&m, 5 * MANY, 10, 100);
    assert_true(fabs(t.mix - .2) < .06 && fabs(log(t.power / 2)) < .25);
    assert_near(tenth.mix, t.mix / 10, 1e-9);
    assert_near(tenth.power, t.power, 1e-12);
    cp_temperature_clear(&t);
    cp_temperature_clear(&tenth);
    clear(&m);
}

static void few_rows_leave_it_near_1(void **state) {
    (void)state;
    made m = make("few", MANY, 3, 0);
    double last = 0;
    for (size_t rows = 0; rows <= MANY; rows = rows ? 20 * rows : 10) {
        cp_temperature t = fitted(&m, rows, 1, 1);
        if (rows == 0) assert_near(t.power, 1, 0);
        if (rows == 10) assert_true(t.power < 2.2);
        assert_true(t.power > last);
        last = t.power;
        cp_temperature_clear(&t);
    }
    clear(&m);
}

/* Four equal rows that are copies weigh as one; as rows of their own they move the temperature more. */
static void copies_say_no_more_than_a_row(void **state) {
    (void)state;
    enum { ROWS = 20 };
    copse_error err;
    made m = make("copied", ROWS, 3, 0);
    cp_temperature once = fitted(&m, ROWS, 1, 1), often = start(1000), weighed = start(1000);
    double probs[4 * ROWS * CLASSES], weight[4 * ROWS * CLASSES];
    for (size_t i = 0; i < 4 * ROWS * CLASSES; i++) {
        probs[i] = m.probs[i % (ROWS * CLASSES)];
        weight[i] = m.weight[i % (ROWS * CLASSES)];
    }
    must(cp_temperature_fit(&often, &(cp_temperature_unseen){probs, 4 * ROWS, weight, 4, 1, 1}, &err), err);
    assert_rel(often.power, once.power, 1e-3);
    for (size_t i = 0; i < ROWS * CLASSES; i++) weight[i] *= 4;
    must(cp_temperature_fit(&weighed, &(cp_temperature_unseen){probs, ROWS, weight, 1, 1, 1}, &err), err);
    assert_rel(weighed.power, once.power, 1e-3);
    cp_temperature_clear(&weighed);
    weighed = start(1000);
    must(cp_temperature_fit(&weighed, &(cp_temperature_unseen){probs, 4 * ROWS, weight, 1, 1, 1}, &err), err);
    assert_true(fabs(log(weighed.power / once.power)) > .01);
    cp_temperature_clear(&once);
    cp_temperature_clear(&often);
    cp_temperature_clear(&weighed);
    clear(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_those_of_the_rows), cmocka_unit_test(nobody_says_0_or_1),
        cmocka_unit_test(a_known_temperature_is_found), cmocka_unit_test(a_known_mix_is_found),
        cmocka_unit_test(few_rows_leave_it_near_1),     cmocka_unit_test(copies_say_no_more_than_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
