/* The laws of what is drawn for a row: who is copied, which cut is tried, which move is made.  Bounds are those of
 * ks.h; each has a control that a wrong law fails. */
#include "dynamic.h"

#include "ks.h"

typedef struct stage {
    sample s;
    copse_params *p;
    cp_dyntree *f;
    cp_dyntree_step_scratch scratch;
} stage;

/* All rows are kept, n of them learnt, and the next one is up. */
static stage set_up(const char *name, size_t dims, size_t classes, size_t n, const char *text) {
    stage st = {.s = make_sample(name, n + 1, dims, classes, 0), .p = options(text)};
    copse_error err;
    copse_flag stop = 1;
    copse_run run = {.stop = &stop};
    cp_rows last = cp_rows_slice(&st.s.rows, n, 1);
    st.f = fit_rows(&st.s.rows, n, st.p);
    assert_int_equal(cp_method_dyntree.update(st.f, &last, st.p, &run, NULL, &err), COPSE_E_STOPPED);
    must(cp_dyntree_step_init(&st.scratch, st.f, &err), err);
    return st;
}

static void take_down(stage *st) {
    cp_dyntree_step_clear(&st->scratch);
    cp_dyntree_free(st->f);
    cp_param_free(st->p);
    free_sample(&st->s);
}

/* ------------------------------------------------------------------------------------------------------- resampling */

typedef struct standing {
    double by, log_w; /* what it is sorted by, and its weight */
    size_t children;
} standing;

static int by_standing(const void *a, const void *b) {
    return ks_order(&((const standing *)a)->by, &((const standing *)b)->by);
}

/* Particles in the order of what they predicted: largest distance between the share of children that those up to one
 * have, and their share of weights; each weight raised to a power, which should be 1. */
static double distance_of_parents(const cp_dyntree_step_scratch *d, size_t n, double power) {
    standing *all = calloc(n, sizeof *all);
    double total = 0, sum = 0, most = 0, children = 0;
    for (size_t j = 0; j < n; j++) {
        all[j] = (standing){.by = d->log_w[j], .log_w = power * d->log_w[j]};
        total += exp(all[j].log_w);
    }
    for (size_t i = 0; i < n; i++) all[d->parent[i]].children++;
    qsort(all, n, sizeof *all, by_standing);
    for (size_t j = 0; j < n; j++) {
        sum += exp(all[j].log_w) / total;
        children += (double)all[j].children / (double)n;
        most = fmax(most, fabs(sum - children));
    }
    free(all);
    return most;
}

static void who_predicted_better_has_more_children(void **state) {
    (void)state;
    copse_error err;
    enum { N = 20000 };
    for (size_t classes = 0; classes <= 3; classes += 3) {
        stage st = set_up("children", 2, classes, 60, "particles=20000 resampling=multinomial beta-split=0.5");
        must(cp_dyntree_step_add(st.f, &st.scratch, &err), err);
        double right = distance_of_parents(&st.scratch, N, 1), wrong = distance_of_parents(&st.scratch, N, 0);
        print_message("children by weight %.4f, were weights alike %.4f, bound %.4f\n", right, wrong, ks_bound_one(N));
        assert_true(right < ks_bound_one(N));
        assert_true(wrong > ks_bound_one(N));
        take_down(&st);
    }
}

/* ------------------------------------------------------------------------------------------------------------- cuts */

typedef struct range {
    double low, high;
} range;

static double uniform_cdf(double x, const void *arg) {
    const range *r = arg;
    return fmin(1, fmax(0, (x - r->low) / (r->high - r->low)));
}

/* Values of a column among n rows, sorted. */
static void sort_column(const stage *st, size_t n, size_t dim, double *out) {
    for (size_t i = 0; i < n; i++) out[i] = (double)st->s.x[i * st->s.rows.dims + dim];
    qsort(out, n, sizeof *out, ks_order);
}

/* Three columns, the last of which is constant: the other two are tried alike, between the third value from below and
 * the third from above. */
static void cuts_are_uniform(void **state) {
    (void)state;
    copse_error err;
    enum { N = 40000, ROWS = 6 };
    static double cut[2][N];
    sample s = make_sample("cuts", ROWS, 3, 0, 0);
    for (size_t i = 0; i < ROWS; i++) s.x[3 * i + 2] = .5f;
    copse_params *p = options("particles=40000 min-leaf=3");
    stage st = {.s = s, .p = p, .f = fit_rows(&s.rows, ROWS - 1, p)};
    cp_rows last = cp_rows_slice(&s.rows, ROWS - 1, 1);
    copse_flag stop = 1;
    copse_run run = {.stop = &stop};
    assert_int_equal(cp_method_dyntree.update(st.f, &last, p, &run, NULL, &err), COPSE_E_STOPPED);
    must(cp_dyntree_step_init(&st.scratch, st.f, &err), err);
    must(cp_dyntree_step_add(st.f, &st.scratch, &err), err);
    must(cp_dyntree_choose(st.f, &st.scratch, &err), err);
    size_t n[2] = {0};
    for (size_t i = 0; i < N; i++) {
        const cp_dyntree_choice *c = &st.scratch.choice[i];
        assert_true(c->dim == 0 || c->dim == 1);
        cut[c->dim][n[c->dim]++] = (double)c->cut;
    }
    assert_true(fabs((double)n[0] / N - .5) < share_bound(N));
    for (size_t d = 0; d < 2; d++) {
        double v[ROWS];
        sort_column(&st, ROWS, d, v);
        range right = {v[2], v[3]}, wrong = {v[1], v[4]};
        assert_true(ks_one(cut[d], n[d], uniform_cdf, &right) < ks_bound_one(n[d]));
        assert_true(ks_one(cut[d], n[d], uniform_cdf, &wrong) > ks_bound_one(n[d]));
    }
    take_down(&st);
}

/* ------------------------------------------------------------------------------------------------------------ moves */

/* How far the share of each move is from its mean probability, at most; `tilt` makes growing more likely than it is. */
static double distance_of_moves(const cp_dyntree_step_scratch *d, size_t n, double tilt) {
    double off[CP_DYNTREE_MOVES] = {0}, most = 0;
    for (size_t i = 0; i < n; i++) {
        const cp_dyntree_choice *c = &d->choice[i];
        double w[CP_DYNTREE_MOVES], top = fmax(c->log_w[0], fmax(c->log_w[1], c->log_w[2])), sum = 0;
        for (int k = 0; k < CP_DYNTREE_MOVES; k++)
            sum += w[k] = exp(c->log_w[k] - top) * (k == CP_DYNTREE_GROW ? tilt : 1);
        for (int k = 0; k < CP_DYNTREE_MOVES; k++) off[k] += ((int)c->move == k) - w[k] / sum;
    }
    for (int k = 0; k < CP_DYNTREE_MOVES; k++) most = fmax(most, fabs(off[k]) / (double)n);
    return most;
}

/* Given the weights, moves are independent draws. */
static void moves_are_drawn_by_weight(void **state) {
    (void)state;
    copse_error err;
    enum { N = 20000 };
    for (size_t classes = 0; classes <= 3; classes += 3) {
        stage st = set_up("moves", 2, classes, 60, "particles=20000 beta-split=0.5 min-leaf=1");
        must(cp_dyntree_step_add(st.f, &st.scratch, &err), err);
        must(cp_dyntree_choose(st.f, &st.scratch, &err), err);
        double right = distance_of_moves(&st.scratch, N, 1), wrong = distance_of_moves(&st.scratch, N, 2);
        print_message("moves by weight %.4f, were growing twice as likely %.4f, bound %.4f\n", right, wrong,
                      share_bound(N));
        assert_true(right < share_bound(N));
        assert_true(wrong > share_bound(N));
        take_down(&st);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_predicted_better_has_more_children),
        cmocka_unit_test(cuts_are_uniform),
        cmocka_unit_test(moves_are_drawn_by_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
