/* What method.h promises of methods that learn online, kept by each of them. */
#include "online.h"
#include "sanitized.h"

#include "dyntree/dyntree.h"
#include "mondrian/mondrian.h"
#include "orf/orf.h"

/* BATCH: to fit is more than to learn row by row, as the rows fitted on also set a unit, or a time of growing.
 * MUTE: no answers while learning. */
enum { BATCH = 1, MUTE = 2 };

static const struct kind {
    const cp_method *method;
    size_t dims, classes;
    int steps;
    unsigned is;
    const char *options;
} kinds[] = {
    {&cp_method_mondrian, 2, 3, 0, BATCH, "trees=5"},
    {&cp_method_mondrian, 2, 3, 4, BATCH, "trees=5"},  /* many rows at one point, of several classes */
    {&cp_method_mondrian, 3, 40, 6, BATCH, "trees=5"}, /* more classes than bits in a word */
    {&cp_method_mondrian, 2, 3, 0, BATCH, "trees=20 lifetime=1"},
    {&cp_method_mondrian, 2, 4, 5, BATCH, "trees=5 min-samples-split=5"},
    {&cp_method_mondrian, 2, 0, 0, BATCH | MUTE, "trees=5 min-samples-split=4 posterior=exact"},
    {&cp_method_mondrian, 2, 0, 4, BATCH, "trees=20 min-samples-split=2 posterior=fast"},
    {&cp_method_mondrian, 1, 0, 0, BATCH, "trees=5 lifetime=2 posterior=fast"},
    {&cp_method_orf, 3, 3, 0, 0, "trees=5 min-samples=10"},
    {&cp_method_orf, 3, 40, 6, 0, "trees=5 min-samples=10 tests=3"},
    {&cp_method_orf, 3, 3, 0, 0, "trees=5 min-samples=10 forget=.02"},
    {&cp_method_orf, 3, 0, 0, 0, "trees=5 min-samples=10"},
    {&cp_method_orf, 3, 0, 5, 0, "trees=5 min-samples=2 min-gain=.1"},
    {&cp_method_dyntree, 2, 3, 0, 0, "particles=20"},
    {&cp_method_dyntree, 2, 3, 4, 0, "particles=15 resampling=multinomial"},
    {&cp_method_dyntree, 3, 40, 6, 0, "particles=7 min-leaf=2"},
    {&cp_method_dyntree, 1, 2, 0, 0, "particles=1"},
    {&cp_method_dyntree, 2, 0, 0, BATCH, "particles=20"},
    {&cp_method_dyntree, 2, 0, 4, BATCH, "particles=15 min-leaf=1 beta-split=0.2"},
    {&cp_method_dyntree, 3, 0, 0, BATCH, "particles=9 min-leaf=5 resampling=residual"},
    {&cp_method_dyntree, 1, 0, 3, BATCH, "particles=15 alpha-split=0.99 beta-split=0 resampling=stratified"},
};

typedef void one_test(const struct kind *k, const cp_rows *rows, const copse_params *p);

static void for_each_kind(one_test *test, const char *name, size_t rows) {
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const struct kind *k = &kinds[i];
        sample s = make_sample(name, rows, k->dims, k->classes, k->steps);
        copse_params *p = options_of(k->method, k->options);
        size_t live = cp_mem_live();
        test(k, &s.rows, p);
        assert_int_equal(cp_mem_live(), live);
        cp_param_free(p);
        free_sample(&s);
    }
}

/* Invariants are recomputed from scratch after every single row. */
static void learn_row_by_row(const struct kind *k, const cp_rows *rows, const copse_params *p) {
    void *f = fit_rows(rows, 1, p);
    double most = 0;
    for (size_t r = 1; r < rows->n; r++) {
        copse_figure figure[COPSE_MAX_FIGURES];
        learn_rows(f, rows, r, 1, p);
        assert_sound(f, p);
        assert_int_equal(k->method->rows(f), r + 1);
        assert_true(k->method->inspect.figures(f, figure) > 0);
        assert_string_equal(figure[0].name, "leaves");
        most = fmax(most, figure[0].value);
    }
    assert_true(most > 1.5); /* else nothing was tested */
    k->method->clear(f);
}

static void models_are_sound_after_every_row(void **state) {
    (void)state;
    for_each_kind(learn_row_by_row, "every row", 120);
}

static void cut_the_stream(const struct kind *k, const cp_rows *rows, const copse_params *p) {
    void *one = fit_rows(rows, 50, p), *many = fit_rows(rows, k->is & BATCH ? 50 : 1, p);
    learn_rows(one, rows, 50, rows->n, p);
    for (size_t r = k->method->rows(many); r < rows->n; r = k->method->rows(many))
        learn_rows(many, rows, r, 1 + r % 7, p);
    assert_same(one, many, p);
    if (!(k->is & BATCH)) {
        void *whole = fit_rows(rows, rows->n, p);
        assert_same(whole, one, p);
        k->method->clear(whole);
    }
    k->method->clear(one);
    k->method->clear(many);
}

static void cutting_the_stream_changes_nothing(void **state) {
    (void)state;
    for_each_kind(cut_the_stream, "cut", 300);
}

static void save_and_load(const struct kind *k, const cp_rows *rows, const copse_params *p) {
    void *one = fit_rows(rows, 100, p), *two = fit_rows(rows, 100, p);
    learn_rows(one, rows, 100, 100, p);
    learn_rows(two, rows, 100, 40, p);
    void *back = reread(two, rows, p, 0);
    assert_same(two, back, p);
    learn_rows(back, rows, 140, 60, p);
    assert_sound(back, p);
    assert_same(one, back, p);
    k->method->clear(one);
    k->method->clear(two);
    k->method->clear(back);
}

static void saving_and_loading_in_between_changes_nothing(void **state) {
    (void)state;
    for_each_kind(save_and_load, "reload", 200);
}

/* The last rows come one by one: few rows may be learnt in another way than many. */
static void use_threads(const struct kind *k, const cp_rows *rows, const copse_params *p) {
    enum { WAYS = 3 };
    const int threads[WAYS] = {1, 2, 7};
    void *f[WAYS] = {0};
    copse_error err;
    for (int i = 0; i < WAYS; i++) {
        copse_run run = {.threads = threads[i]};
        cp_rows part = cp_rows_slice(rows, 0, 100);
        must(k->method->fit(&part, p, &run, &f[i], &err), err);
        for (size_t r = 100; r < rows->n; r += part.n) {
            part = cp_rows_slice(rows, r, r < 290 ? 190 : 1);
            must(k->method->update(f[i], &part, p, &run, NULL, &err), err);
        }
    }
    for (int i = 1; i < WAYS; i++) assert_same(f[0], f[i], p);
    for (int i = 0; i < WAYS; i++) k->method->clear(f[i]);
}

static void any_number_of_threads_gives_the_same_model(void **state) {
    (void)state;
    for_each_kind(use_threads, "threads", 292);
}

/* A stop leaves rows to be learnt, and the next update learns them. */
static void stop_and_go_on(const struct kind *k, const cp_rows *rows, const copse_params *p) {
    copse_error err;
    copse_flag stop = 1;
    copse_run run = {.stop = &stop, .threads = 1};
    cp_rows rest = cp_rows_slice(rows, 100, 100);
    void *whole = fit_rows(rows, 100, p), *stopped = fit_rows(rows, 100, p);
    learn_rows(whole, rows, 100, 100, p);
    assert_int_equal(k->method->update(stopped, &rest, p, &run, NULL, &err), COPSE_E_STOPPED);
    assert_sound(stopped, p);
    assert_int_equal(k->method->rows(stopped), 200);
    learn_rows(stopped, rows, 0, 0, p);
    assert_same(whole, stopped, p);
    k->method->clear(whole);
    k->method->clear(stopped);
}

static void rows_that_wait_are_learnt_next(void **state) {
    (void)state;
    for_each_kind(stop_and_go_on, "wait", 200);
}

/* Whatever allocation fails, what is taken in is learnt in the end, and once. */
static void run_out_of_memory(const struct kind *k, const cp_rows *rows, const copse_params *p) {
    cp_rows rest = cp_rows_slice(rows, 30, 30);
    void *whole = fit_rows(rows, 30, p);
    int failed = 0;
    learn_rows(whole, rows, 30, 30, p);
    size_t live = cp_mem_live();
    for (long n = 0;; n++) {
        copse_error err;
        void *f = fit_rows(rows, 30, p);
        cp_mem_fail_after(n);
        copse_status status = k->method->update(f, &rest, p, &(copse_run){.threads = 1}, NULL, &err);
        cp_mem_fail_after(-1);
        assert_true(status == COPSE_OK || status == COPSE_E_MEMORY);
        assert_sound(f, p);
        learn_rows(f, &rest, 0, k->method->rows(f) == 30 ? 30 : 0, p);
        assert_same(whole, f, p);
        k->method->clear(f);
        assert_int_equal(cp_mem_live(), live);
        if (!status) break;
        failed++;
    }
    assert_true(failed > 0);
    k->method->clear(whole);
}

static void rows_that_could_not_be_learnt_are_learnt_later(void **state) {
    (void)state;
    for_each_kind(run_out_of_memory, "memory", 60);
}

/* Labels of which the first twenty are of two classes. */
static int32_t *few_classes_first(const cp_rows *rows) {
    int32_t *label = malloc(rows->n * sizeof *label);
    for (size_t i = 0; i < rows->n; i++) label[i] = (int32_t)((size_t)rows->label[i] % (1 + i / 10));
    return label;
}

/* Classes beyond those known at first come with the row that brings them, also if that row comes with others. */
static void meet_classes(const struct kind *k, const cp_rows *rows, const copse_params *p) {
    if (!k->classes) return;
    int32_t *label = few_classes_first(rows);
    cp_rows now = *rows, all = *rows;
    now.label = all.label = label;
    now.classes = 2;
    void *one = fit_rows(&now, 20, p), *many = fit_rows(&now, 20, p);
    learn_rows(one, &all, 20, rows->n, p);
    for (size_t r = 20; r < rows->n; r++) {
        if ((size_t)label[r] >= now.classes) now.classes = (size_t)label[r] + 1;
        learn_rows(many, &now, r, 1, p);
        assert_sound(many, p);
    }
    learn_rows(many, &all, 0, 0, p); /* some classes may have no row at all */
    assert_same(one, many, p);
    k->method->clear(one);
    k->method->clear(many);
    free(label);
}

static void classes_may_come_later(void **state) {
    (void)state;
    for_each_kind(meet_classes, "later", 150);
}

static void assert_same_answer(const cp_answer *a, size_t i, const cp_answer *b, size_t k) {
    if (a->task == COPSE_CLASS) {
        double sum = 0;
        for (size_t c = 0; c < a->classes; c++) {
            assert_near(a->probs[i * a->classes + c], b->probs[k * b->classes + c], 1e-13);
            sum += a->probs[i * a->classes + c];
        }
        assert_near(sum, 1, 1e-12);
        return;
    }
    cp_mixture m = cp_answer_mixture(a, i), n = cp_answer_mixture(b, k);
    assert_true(cp_mixture_check(m));
    assert_near(cp_mixture_mean(m), cp_mixture_mean(n), 1e-13);
    assert_near(cp_mixture_var(m), cp_mixture_var(n), 1e-13);
}

static void ask_and_learn(const struct kind *k, const cp_rows *rows, const copse_params *p) {
    copse_error err;
    void *f = fit_rows(rows, 40, p), *slow = fit_rows(rows, 40, p);
    cp_rows rest = cp_rows_slice(rows, 40, rows->n);
    cp_answer before;
    must(cp_answer_init(&before, rest.task, rest.n, rest.classes, &err), err);
    assert_int_equal(k->method->update(f, &rest, p, NULL, &before, &err), k->is & MUTE ? COPSE_E_USAGE : COPSE_OK);
    for (size_t r = 0; !(k->is & MUTE) && r < rest.n; r++) {
        cp_rows row = cp_rows_slice(&rest, r, 1);
        cp_answer one = ask(slow, &row, p);
        assert_same_answer(&before, r, &one, 0);
        cp_answer_clear(&one);
        learn_rows(slow, &rest, r, 1, p);
    }
    assert_same(f, slow, p); /* the mute have learnt nothing */
    cp_answer_clear(&before);
    k->method->clear(f);
    k->method->clear(slow);
}

/* One call answers what asking and learning row by row would. */
static void answers_are_those_before_learning(void **state) {
    (void)state;
    for_each_kind(ask_and_learn, "before", 150);
}

/* Fit, learn with a new class or answer, write, read. */
static copse_status live(const struct kind *k, const cp_rows *rows, const copse_params *p, copse_error *err) {
    copse_run run = {.threads = 1};
    cp_rows first = cp_rows_slice(rows, 0, 20), rest = cp_rows_slice(rows, 20, rows->n);
    int is_mute = k->classes || k->is & MUTE;
    void *f = NULL, *back = NULL;
    cp_writer *w = NULL;
    cp_answer before = {0};
    image in = {0};
    copse_status status;
    if (k->classes) first.classes = 2;
    CP_TRY_OUT(k->method->fit(&first, p, &run, &f, err));
    CP_TRY_OUT(cp_answer_init(&before, rows->task, rest.n, rows->classes, err));
    CP_TRY_OUT(k->method->update(f, &rest, p, &run, is_mute ? NULL : &before, err));
    CP_TRY_OUT(cp_writer_new(&w, err));
    CP_TRY_OUT(k->method->write(f, p, 0, w, err));
    CP_TRY_OUT(finish_image(w, &in, err));
    CP_TRY_OUT(read_image(in, rows, p, &back, err));
out:
    free(in.bytes);
    cp_answer_clear(&before);
    cp_writer_free(w);
    k->method->clear(f);
    k->method->clear(back);
    return status;
}

/* Each of the first allocations, then some. */
static void fail_allocations(const struct kind *k, const cp_rows *rows, const copse_params *p) {
    size_t before = cp_mem_live();
    copse_status status = COPSE_E_MEMORY;
    cp_rows relabelled = *rows;
    int32_t *label = k->classes ? few_classes_first(rows) : NULL;
    relabelled.label = label;
    for (long n = 0; status; n = next_failure(n + n / 40)) {
        copse_error err;
        cp_mem_fail_after(n);
        status = live(k, &relabelled, p, &err);
        cp_mem_fail_after(-1);
        if (status) assert_int_equal(status, COPSE_E_MEMORY);
        assert_int_equal(cp_mem_live(), before);
    }
    free(label);
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    for_each_kind(fail_allocations, "failing", 40);
}

/* A model written without what it would need to learn on. */
static void freeze(const struct kind *k, const cp_rows *rows, const copse_params *p) {
    copse_error err;
    void *f = fit_rows(rows, rows->n, p), *cold = reread(f, rows, p, COPSE_SAVE_FROZEN);
    void *colder = reread(cold, rows, p, 0);
    assert_true(k->method->can_learn(f));
    assert_false(k->method->can_learn(cold));
    assert_same(cold, colder, p);
    if (k->method->refresh) must(k->method->refresh(cold, p, NULL, &err), err);
    cp_answer a = ask(f, rows, p), b = ask(cold, rows, p);
    for (size_t r = 0; r < rows->n; r++) assert_same_answer(&a, r, &b, r);
    cp_answer_clear(&a);
    cp_answer_clear(&b);
    k->method->clear(f);
    k->method->clear(cold);
    k->method->clear(colder);
}

static void a_frozen_model_answers_alike(void **state) {
    (void)state;
    for_each_kind(freeze, "frozen", 150);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_sound_after_every_row),
        cmocka_unit_test(cutting_the_stream_changes_nothing),
        cmocka_unit_test(saving_and_loading_in_between_changes_nothing),
        cmocka_unit_test(any_number_of_threads_gives_the_same_model),
        cmocka_unit_test(rows_that_wait_are_learnt_next),
        cmocka_unit_test(rows_that_could_not_be_learnt_are_learnt_later),
        cmocka_unit_test(classes_may_come_later),
        cmocka_unit_test(answers_are_those_before_learning),
        cmocka_unit_test(a_frozen_model_answers_alike),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
