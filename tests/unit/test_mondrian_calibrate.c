/* Calibration by held-out rows: it must see noise, and copies of rows must not hide it. */
#include "forest.h"

#include "mondrian/mondrian_predict.h"
#include "num/draw.h"
#include "num/math.h"

enum { ROWS = 300 };

typedef struct made {
    float x[3 * ROWS * 2];
    double y[3 * ROWS];
    int32_t label[3 * ROWS];
} made;

/* Uniform rows, `copies` times over; the targets are noise, one class in four. */
static cp_rows make(made *m, const char *name, size_t copies, int classes) {
    cp_rng rng;
    cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < ROWS; i++) {
        double a = cp_rng_unit(&rng), b = cp_rng_unit(&rng), y = cp_draw_normal(&rng);
        int32_t label = cp_rng_unit(&rng) < .25;
        for (size_t c = 0; c < copies; c++) {
            size_t at = c * ROWS + i;
            m->x[2 * at] = (float)a;
            m->x[2 * at + 1] = (float)b;
            m->y[at] = y;
            m->label[at] = label;
        }
    }
    return (cp_rows){.task = classes ? COPSE_CLASS : COPSE_REGRESS,
                     .n = copies * ROWS,
                     .dims = 2,
                     .classes = classes ? 2 : 0,
                     .x = m->x,
                     .y = classes ? NULL : m->y,
                     .label = classes ? m->label : NULL};
}

static cp_answer ask_forest(const cp_mondrian *f, const cp_rows *rows, const copse_params *p) {
    copse_error err;
    cp_answer out;
    must(cp_answer_init(&out, rows->task, rows->n, rows->classes, &err), err);
    must(cp_mondrian_predict(f, rows, p, &out, &err), err);
    return out;
}

static double log_loss(const char *text) {
    static made train, test;
    copse_params *p = options(text);
    cp_rows rows = make(&train, "noise", 1, 1), fresh = make(&test, "fresh noise", 1, 1);
    cp_mondrian *f = fit_rows(&rows, rows.n, p);
    cp_answer a = ask_forest(f, &fresh, p), same = ask_forest(f, &rows, p);
    double sum = 0;
    for (size_t i = 0; i < fresh.n; i++) {
        sum -= log(fmax(a.probs[2 * i + (size_t)fresh.label[i]], 1e-6)) / (double)fresh.n;
        if (f->honest.on) assert_true(same.probs[2 * i] > 0 && same.probs[2 * i + 1] > 0); /* nobody says 0 */
    }
    cp_answer_clear(&a);
    cp_answer_clear(&same);
    cp_mondrian_free(f);
    cp_param_free(p);
    return sum;
}

static void noisy_labels_give_the_class_shares(void **state) {
    (void)state;
    double shares = -.25 * log(.25) - .75 * log(.75);
    assert_true(log_loss("trees=20") < shares + .06);
    assert_true(log_loss("trees=20 calibration=none") > shares + .1); /* or the test would see nothing */
}

/* The share of fresh targets that 90 % intervals hold. */
static double coverage(size_t copies) {
    static made train, test;
    copse_params *p = options("trees=20");
    cp_rows rows = make(&train, "copies", copies, 0), fresh = make(&test, "fresh copies", 1, 0);
    cp_mondrian *f = fit_rows(&rows, rows.n, p);
    cp_answer a = ask_forest(f, &fresh, p);
    double held = 0;
    for (size_t i = 0; i < fresh.n; i++) {
        double u = cp_mixture_cdf(cp_answer_mixture(&a, i), fresh.y[i]);
        held += u >= .05 && u <= .95;
    }
    cp_answer_clear(&a);
    cp_mondrian_free(f);
    cp_param_free(p);
    return held / (double)fresh.n;
}

static void copies_of_rows_do_not_hide_the_noise(void **state) {
    (void)state;
    double once = coverage(1), thrice = coverage(3);
    if (once < .83 || thrice < .83) fail_msg("90 %% intervals hold %g, and %g with copies", once, thrice);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noisy_labels_give_the_class_shares),
        cmocka_unit_test(copies_of_rows_do_not_hide_the_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
