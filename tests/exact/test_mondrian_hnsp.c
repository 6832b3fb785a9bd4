/* Class probabilities against a literal transcription of the paper's algorithms 5, 7 and 8: dense counts in every node,
 * a full posterior mean per node, and numerical integration for the discount. */
#include "forest.h"

#include <gsl/gsl_integration.h>

enum { MOST_CLASSES = 64, MOST_NODES = 600 };

typedef struct literal {
    double count[MOST_NODES][MOST_CLASSES], tab[MOST_NODES][MOST_CLASSES], mean[MOST_NODES][MOST_CLASSES];
} literal;

/* alg. 5, bottom up. */
static void fill_counts(literal *l, const cp_mondrian *f, const cp_mondrian_tree *t, int32_t j) {
    const cp_mondrian_node *n = &t->node[j];
    size_t classes = f->space.classes;
    memset(l->count[j], 0, sizeof l->count[j]);
    if (cp_mondrian_tree_is_leaf(n)) {
        for (int32_t r = n->head; r != CP_NONE; r = t->next[r]) l->count[j][f->label[r]]++;
    } else {
        fill_counts(l, f, t, n->left);
        fill_counts(l, f, t, n->right);
        for (size_t k = 0; k < classes; k++) l->count[j][k] = l->tab[n->left][k] + l->tab[n->right][k];
    }
    for (size_t k = 0; k < classes; k++) l->tab[j][k] = fmin(l->count[j][k], 1);
}

static void smooth(const double *count, const double *tab, double discount, const double *parent, size_t classes,
                   double *out) {
    double c = 0, tabs = 0;
    for (size_t k = 0; k < classes; k++) {
        c += count[k];
        tabs += tab[k];
    }
    for (size_t k = 0; k < classes; k++) out[k] = (count[k] - discount * tab[k] + discount * tabs * parent[k]) / c;
}

typedef struct truncated {
    double eta, gamma;
} truncated;

static double discount_density(double t, void *arg) {
    const truncated *p = arg;
    return p->eta * exp(-(p->eta + p->gamma) * t);
}

/* E[exp(-gamma T)], T ~ Exp(eta) below delta, by quadrature. */
static double mean_discount(double eta, double gamma, double delta, gsl_integration_workspace *ws) {
    truncated p = {eta, gamma};
    gsl_function fn = {discount_density, &p};
    double value, error, end = fmin(delta, 60 / (eta + gamma));
    gsl_integration_qag(&fn, 0, end, 0, 1e-12, 1000, GSL_INTEG_GAUSS61, ws, &value, &error);
    return value / -expm1(-eta * delta);
}

/* alg. 8, top down, with alg. 7 inside. */
static void literal_predict(literal *l, const cp_mondrian *f, const cp_mondrian_tree *t, const float *x, double *out,
                            gsl_integration_workspace *ws) {
    size_t classes = f->space.classes;
    double parent[MOST_CLASSES], branch[MOST_CLASSES], stay = 1, since = 0;
    float buf[64];
    for (size_t k = 0; k < classes; k++) {
        parent[k] = 1 / (double)classes;
        out[k] = 0;
    }
    for (int32_t j = 0;;) {
        const cp_mondrian_node *n = &t->node[j];
        const float *box = cp_mondrian_tree_box(t, &f->space, n, buf);
        double eta = 0, delta = n->time - since;
        for (size_t d = 0; d < f->space.dims; d++)
            eta += fmax((double)(x[d] - box[f->space.dims + d]), 0) + fmax((double)(box[d] - x[d]), 0);
        double off = eta > 0 ? -expm1(-eta * delta) : 0;
        if (off > 0) {
            smooth(l->tab[j], l->tab[j], mean_discount(eta, f->gamma, delta, ws), parent, classes, branch);
            for (size_t k = 0; k < classes; k++) out[k] += stay * off * branch[k];
        }
        smooth(l->count[j], l->tab[j], exp(-f->gamma * delta), parent, classes, l->mean[j]);
        stay *= 1 - off;
        if (cp_mondrian_tree_is_leaf(n)) {
            for (size_t k = 0; k < classes; k++) out[k] += stay * l->mean[j][k];
            return;
        }
        memcpy(parent, l->mean[j], sizeof parent);
        since = n->time;
        j = x[n->dim] <= n->cut ? n->left : n->right;
    }
}

static void predict_one(const cp_mondrian *f, const float *x, double *out) {
    copse_error err;
    cp_answer a;
    cp_rows rows = {.task = COPSE_CLASS, .n = 1, .dims = f->space.dims, .classes = f->space.classes, .x = x};
    must(cp_answer_init(&a, COPSE_CLASS, 1, f->space.classes, &err), err);
    must(cp_method_mondrian.predict(f, &rows, NULL, &a, &err), err);
    memcpy(out, a.probs, f->space.classes * sizeof *out);
    cp_answer_clear(&a);
}

static void compare(const cp_mondrian *f, const float *x) {
    static literal l;
    gsl_integration_workspace *ws = gsl_integration_workspace_alloc(1000);
    double ours[MOST_CLASSES], theirs[MOST_CLASSES] = {0}, one[MOST_CLASSES], sum = 0;
    for (size_t m = 0; m < f->trees; m++) {
        assert_true(f->tree[m].nodes <= MOST_NODES);
        fill_counts(&l, f, &f->tree[m], 0);
        literal_predict(&l, f, &f->tree[m], x, one, ws);
        for (size_t k = 0; k < f->space.classes; k++) theirs[k] += one[k] / (double)f->trees;
    }
    predict_one(f, x, ours);
    for (size_t k = 0; k < f->space.classes; k++) {
        assert_near(ours[k], theirs[k], 1e-10);
        assert_true(ours[k] >= 0);
        sum += ours[k];
    }
    assert_near(sum, 1, 1e-12);
    gsl_integration_workspace_free(ws);
}

static void probabilities_equal_the_papers_algorithms(void **state) {
    (void)state;
    const struct {
        size_t dims, classes;
        int steps;
        const char *options;
    } cases[] = {
        {2, 2, 0, "trees=3 posterior=exact"},
        {2, 3, 4, "trees=3 posterior=exact"},
        {3, 40, 0, "trees=3 gamma=2"},
        {2, 3, 0, "trees=3 lifetime=2 gamma=.5"},
        {2, 3, 0, "trees=3 min-samples-split=9 gamma=1"},
        {1, 4, 0, "trees=3 gamma=.01"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sample s = make_sample("hnsp", 150, cases[i].dims, cases[i].classes, cases[i].steps);
        copse_params *p = options(cases[i].options);
        cp_rows first = s.rows;
        first.n = 100;
        cp_mondrian *f = fit_rows(&first, first.n, p);
        learn_rows(f, &s.rows, 100, 50, p);
        cp_rng rng;
        cp_rng_init(&rng, seed_of("points"), CP_FOR_TEST, 0, 0);
        for (int k = 0; k < 30; k++) {
            float x[3];
            double wide = k < 10 ? 1 : k < 20 ? 1.3 : 40;
            for (int d = 0; d < 3; d++) x[d] = (float)(.5 + wide * (cp_rng_unit(&rng) - .5));
            compare(f, x);
        }
        for (size_t r = 0; r < 150; r += 10) compare(f, s.x + r * cases[i].dims);
        cp_mondrian_free(f);
        cp_param_free(p);
        free_sample(&s);
    }
}

static void far_away_is_the_uniform_prior(void **state) {
    (void)state;
    sample s = make_sample("far", 100, 2, 3, 0);
    copse_params *p = options("trees=5 posterior=exact");
    cp_mondrian *f = fit_rows(&s.rows, s.rows.n, p);
    const float x[2] = {1e7f, 1e7f};
    double probs[3];
    predict_one(f, x, probs);
    for (int k = 0; k < 3; k++) assert_near(probs[k], 1. / 3, 1e-5);
    cp_mondrian_free(f);
    cp_param_free(p);
    free_sample(&s);
}

/* A training row is inside every box on its way: it never branches off. */
static void a_training_row_stays(void **state) {
    (void)state;
    copse_error err;
    sample s = make_sample("stay", 100, 3, 4, 0);
    copse_params *p = options("trees=4 posterior=exact");
    cp_mondrian *f = fit_rows(&s.rows, s.rows.n, p);
    cp_mondrian_paths paths = {0};
    for (size_t i = 0; i < 100; i++)
        for (size_t m = 0; m < 4; m++) {
            must(cp_mondrian_path_find(&paths, &f->tree[m], &f->space, s.x + 3 * i, 1, &err), err);
            assert_true(paths.path[0].p_stay == 1);
            assert_int_equal(paths.path[0].branch_points, 0);
        }
    cp_mondrian_path_clear(&paths);
    cp_mondrian_free(f);
    cp_param_free(p);
    free_sample(&s);
}

/* Classes that appear later: the forest grows from one word of marks to two and predicts as one made at once would. */
static void classes_may_appear_later(void **state) {
    (void)state;
    sample s = make_sample("later", 200, 2, 40, 0);
    copse_params *p = options("trees=3 posterior=exact");
    cp_rows few = s.rows;
    size_t n = 0;
    for (size_t i = 0; i < 200; i++) /* rows of classes 0 ... 19 first */
        if (s.label[i] < 20) {
            float x[2] = {s.x[2 * n], s.x[2 * n + 1]};
            int32_t label = s.label[n];
            memcpy(s.x + 2 * n, s.x + 2 * i, sizeof x);
            s.label[n] = s.label[i];
            memcpy(s.x + 2 * i, x, sizeof x);
            s.label[i] = label;
            n++;
        }
    few.n = n;
    few.classes = 20;
    cp_mondrian *f = fit_rows(&few, few.n, p);
    learn_rows(f, &s.rows, n, 200 - n, p);
    assert_int_equal(f->space.classes, 40);
    assert_sound(f, p);
    for (size_t r = 0; r < 200; r += 7) compare(f, s.x + 2 * r);
    cp_mondrian_free(f);
    cp_param_free(p);
    free_sample(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probabilities_equal_the_papers_algorithms),
        cmocka_unit_test(far_away_is_the_uniform_prior),
        cmocka_unit_test(a_training_row_stays),
        cmocka_unit_test(classes_may_appear_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
