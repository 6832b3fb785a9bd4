/* The Gaussian hierarchy against dense algebra: the whole covariance of all node means, conditioned by solving. */
#include "forest.h"

#include <gsl/gsl_integration.h>
#include <gsl/gsl_linalg.h>

static double s_of(const cp_mondrian_hyper *h, double t) {
    return h->gamma1 / (1 + exp(-h->gamma2 * t));
}

/* A tree as the textbook sees it: parent links, times, and leaves with their targets. */
typedef struct dense {
    size_t nodes, rows;
    int32_t parent[200];
    double time[200], y[200];
    int32_t leaf_of[200];
} dense;

static dense dense_of(const cp_mondrian *f, size_t m) {
    const cp_mondrian_tree *t = &f->tree[m];
    dense d = {.nodes = t->nodes, .rows = f->space.rows};
    d.parent[0] = CP_NONE;
    for (size_t j = 0; j < t->nodes; j++) {
        const cp_mondrian_node *n = &t->node[j];
        d.time[j] = n->time;
        if (!cp_mondrian_tree_is_leaf(n)) {
            d.parent[n->left] = d.parent[n->right] = (int32_t)j;
            continue;
        }
        for (int32_t r = n->head; r != CP_NONE; r = t->next[r]) d.leaf_of[r] = (int32_t)j;
    }
    memcpy(d.y, f->y, f->space.rows * sizeof *d.y);
    return d;
}

/* Prior covariance of two nodes: s at their last common ancestor minus s(0). */
static double prior_cov(const dense *d, const cp_mondrian_hyper *h, int32_t a, int32_t b) {
    unsigned char above[200] = {0};
    for (int32_t j = a; j != CP_NONE; j = d->parent[j]) above[j] = 1;
    while (!above[b]) b = d->parent[b];
    return s_of(h, d->time[b]) - s_of(h, 0);
}

typedef struct posterior {
    double mean[200];
    gsl_matrix *cov;
    double log_marginal;
} posterior;

/* mu | y = K_n (K + noise I)^-1 (y - mean), and so on, without any use of the tree's structure. */
static posterior condition(const dense *d, const cp_mondrian_hyper *h) {
    size_t n = d->nodes, r = d->rows;
    posterior p = {.cov = gsl_matrix_alloc(n, n)};
    gsl_matrix *k = gsl_matrix_alloc(r, r), *cross = gsl_matrix_alloc(n, r);
    gsl_vector *off = gsl_vector_alloc(r), *w = gsl_vector_alloc(r), *row = gsl_vector_alloc(r);
    for (size_t a = 0; a < r; a++) {
        gsl_vector_set(off, a, d->y[a] - h->mean);
        for (size_t b = 0; b < r; b++)
            gsl_matrix_set(k, a, b, prior_cov(d, h, d->leaf_of[a], d->leaf_of[b]) + (a == b ? h->noise : 0));
        for (size_t j = 0; j < n; j++) gsl_matrix_set(cross, j, a, prior_cov(d, h, (int32_t)j, d->leaf_of[a]));
    }
    gsl_linalg_cholesky_decomp1(k);
    gsl_linalg_cholesky_solve(k, off, w);
    p.log_marginal = -0.5 * (double)r * log(2 * M_PI);
    for (size_t a = 0; a < r; a++)
        p.log_marginal -= log(gsl_matrix_get(k, a, a)) + 0.5 * gsl_vector_get(off, a) * gsl_vector_get(w, a);
    for (size_t j = 0; j < n; j++) {
        p.mean[j] = h->mean;
        for (size_t a = 0; a < r; a++) p.mean[j] += gsl_matrix_get(cross, j, a) * gsl_vector_get(w, a);
        gsl_vector_view cj = gsl_matrix_row(cross, j);
        gsl_linalg_cholesky_solve(k, &cj.vector, row);
        for (size_t i = 0; i < n; i++) {
            double c = prior_cov(d, h, (int32_t)i, (int32_t)j);
            for (size_t a = 0; a < r; a++) c -= gsl_matrix_get(cross, i, a) * gsl_vector_get(row, a);
            gsl_matrix_set(p.cov, i, j, c);
        }
    }
    gsl_matrix_free(k);
    gsl_matrix_free(cross);
    gsl_vector_free(off);
    gsl_vector_free(w);
    gsl_vector_free(row);
    return p;
}

static const char *const settings[] = {
    "trees=3 min-samples-split=2 posterior=exact",
    "trees=3 min-samples-split=5 posterior=exact",
    "trees=3 min-samples-split=2 lifetime=2 posterior=exact",
    "trees=3 min-samples-split=3 hyper=marginal",
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static void every_node_equals_dense_conditioning(void **state) {
    (void)state;
    for (int i = 0; i < 2 * SETTINGS; i++) {
        sample s = make_sample(settings[i / 2], 25, 2, 0, i % 2 ? 4 : 0);
        copse_params *p = options(settings[i / 2]);
        cp_mondrian *f = fit_rows(&s.rows, s.rows.n, p);
        double mean_marginal = 0;
        for (size_t m = 0; m < f->trees; m++) {
            dense d = dense_of(f, m);
            assert_true(d.nodes <= 50);
            posterior q = condition(&d, &f->hyper);
            mean_marginal += q.log_marginal / (double)f->trees;
            for (size_t j = 0; j < d.nodes; j++) {
                const cp_mondrian_stat *st = &f->tree[m].stat[j];
                assert_near(st->m, q.mean[j], 1e-9);
                assert_near(st->v, gsl_matrix_get(q.cov, j, j), 1e-9);
                if (d.parent[j] != CP_NONE) assert_near(st->c, gsl_matrix_get(q.cov, j, (size_t)d.parent[j]), 1e-9);
            }
            gsl_matrix_free(q.cov);
        }
        assert_near(f->log_marginal, mean_marginal, 1e-9);
        cp_mondrian_free(f);
        cp_param_free(p);
        free_sample(&s);
    }
}

/* Deep down the sigmoid saturates: phi is exactly 0 and everything must stay finite and right. */
static void saturated_times_are_legal(void **state) {
    (void)state;
    sample s = make_sample("saturated", 20, 2, 0, 0);
    copse_params *p = options("trees=2 min-samples-split=2 posterior=exact");
    cp_mondrian *f = fit_rows(&s.rows, s.rows.n, p);
    f->hyper.gamma2 = 1e4;
    f->stale = 1;
    copse_error err;
    must(cp_mondrian_refresh(f, NULL, &err), err);
    for (size_t m = 0; m < f->trees; m++) {
        dense d = dense_of(f, m);
        posterior q = condition(&d, &f->hyper);
        for (size_t j = 0; j < d.nodes; j++) assert_near(f->tree[m].stat[j].m, q.mean[j], 1e-9);
        gsl_matrix_free(q.cov);
    }
    cp_mondrian_free(f);
    cp_param_free(p);
    free_sample(&s);
}

/* A shift of 1e9 in y may not cost digits. */
static void a_large_offset_changes_nothing(void **state) {
    (void)state;
    sample s = make_sample("offset", 40, 2, 0, 0);
    for (size_t i = 0; i < 40; i++) s.y[i] = ldexp(round(ldexp(s.y[i], 20)), -20); /* so that y + 2^30 is exact */
    copse_params *p = options("trees=4 posterior=exact");
    cp_mondrian *low = fit_rows(&s.rows, s.rows.n, p);
    for (size_t i = 0; i < 40; i++) s.y[i] += 0x1p30;
    cp_mondrian *high = fit_rows(&s.rows, s.rows.n, p);
    for (size_t m = 0; m < 4; m++)
        for (size_t j = 0; j < low->tree[m].nodes; j++) {
            assert_near(low->tree[m].stat[j].m + low->center, high->tree[m].stat[j].m + high->center - 0x1p30, 1e-6);
            assert_near(low->tree[m].stat[j].v, high->tree[m].stat[j].v, 1e-9);
        }
    cp_mondrian_free(low);
    cp_mondrian_free(high);
    cp_param_free(p);
    free_sample(&s);
}

/* ------------------------------------------------------------------------------------------------------ predictions
 *
 * The distribution at x, by definition: walk down; at each node the time of branching off is a truncated exponential; a
 * new node is put on the edge, the dense model with that extra node is conditioned, and everything is integrated. */

typedef struct branch {
    const dense *d;
    const posterior *post;
    const cp_mondrian_hyper *h;
    size_t j;
    double since, eta, end, y;
    int what; /* 0: mean, 1: second moment, 2: density */
} branch;

/* Posterior of a node at time t on the edge above j: by the Markov property, regress it on parent and j. */
static double integrand(double t, void *arg) {
    const branch *b = arg;
    const cp_mondrian_hyper *h = b->h;
    int32_t p = b->d->parent[b->j];
    double sp = s_of(h, b->since), st = s_of(h, b->since + t), sj = s_of(h, b->d->time[b->j]);
    double mp = p == CP_NONE ? h->mean : b->post->mean[p], vp = 0, c = 0;
    if (p != CP_NONE) {
        vp = gsl_matrix_get(b->post->cov, (size_t)p, (size_t)p);
        c = gsl_matrix_get(b->post->cov, (size_t)p, b->j);
    }
    double a = sj > sp ? (st - sp) / (sj - sp) : 0;
    double mean = (1 - a) * mp + a * b->post->mean[b->j];
    double var = (1 - a) * (1 - a) * vp + a * a * gsl_matrix_get(b->post->cov, b->j, b->j) + 2 * a * (1 - a) * c +
                 (1 - a) * (st - sp) + s_of(h, b->end) - st + h->noise;
    double density = b->eta * exp(-b->eta * t);
    if (b->what == 0) return density * mean;
    if (b->what == 1) return density * (mean * mean + var);
    return density * exp(-0.5 * (b->y - mean) * (b->y - mean) / var) / sqrt(2 * M_PI * var);
}

static double integrate(branch *b, double delta, int what, gsl_integration_workspace *ws) {
    gsl_function fn = {integrand, b};
    double sum = 0, part, error, at = 0;
    b->what = what;
    /* pieces of doubling length, so that the short scales are found; the last one reaches to the end */
    for (double length = 0.01; at < delta && length < 1e10; length *= 2) {
        double to = fmin(delta, at + length);
        gsl_integration_qag(&fn, at, to, 1e-14, 1e-12, 1000, GSL_INTEG_GAUSS31, ws, &part, &error);
        sum += part;
        at = to;
    }
    return sum;
}

static void check_prediction(const cp_mondrian *f, const float *x, const double *at, size_t n_at) {
    copse_error err;
    const cp_mondrian_tree *t = &f->tree[0];
    const cp_mondrian_hyper *h = &f->hyper;
    gsl_integration_workspace *ws = gsl_integration_workspace_alloc(1000);
    dense d = dense_of(f, 0);
    posterior q = condition(&d, h);
    double mean = 0, second = 0, density[8] = {0}, stay = 1, since = 0;
    float buf[8];
    for (size_t j = 0;;) {
        const cp_mondrian_node *n = &t->node[j];
        const float *box = cp_mondrian_tree_box(t, &f->space, n, buf);
        double eta = 0, delta = n->time - since;
        for (size_t k = 0; k < 2; k++) eta += fmax((double)(x[k] - box[2 + k]), 0) + fmax((double)(box[k] - x[k]), 0);
        if (eta > 0) {
            branch b = {&d, &q, h, j, since, eta, f->space.lifetime, 0, 0};
            mean += stay * integrate(&b, delta, 0, ws);
            second += stay * integrate(&b, delta, 1, ws);
            for (size_t i = 0; i < n_at; i++) {
                b.y = at[i];
                density[i] += stay * integrate(&b, delta, 2, ws);
            }
            stay *= exp(-eta * delta);
        }
        if (cp_mondrian_tree_is_leaf(n)) {
            double m = q.mean[j], v = gsl_matrix_get(q.cov, j, j) + h->noise;
            mean += stay * m;
            second += stay * (m * m + v);
            for (size_t i = 0; i < n_at; i++)
                density[i] += stay * exp(-0.5 * (at[i] - m) * (at[i] - m) / v) / sqrt(2 * M_PI * v);
            break;
        }
        since = n->time;
        j = (size_t)(x[n->dim] <= n->cut ? n->left : n->right);
    }
    cp_answer ours;
    cp_rows rows = {.task = COPSE_REGRESS, .n = 1, .dims = 2, .x = x};
    must(cp_answer_init(&ours, COPSE_REGRESS, 1, 0, &err), err);
    must(cp_method_mondrian.predict(f, &rows, NULL, &ours, &err), err);
    cp_mixture mix = cp_answer_mixture(&ours, 0);
    assert_near(cp_mixture_mean(mix), mean + f->center, 1e-8);
    assert_near(cp_mixture_var(mix), second - mean * mean, 1e-8);
    for (size_t i = 0; i < n_at; i++)
        assert_near(exp(cp_mixture_log_density(mix, at[i] + f->center)), density[i], 1e-4);
    cp_answer_clear(&ours);
    gsl_matrix_free(q.cov);
    gsl_integration_workspace_free(ws);
}

static void predictions_equal_numerical_integration(void **state) {
    (void)state;
    const double at[] = {-2, -.7, 0, .4, 1.5};
    for (int i = 0; i < SETTINGS; i++)
        for (int scale = 0; scale < 3; scale++) {
            sample s = make_sample("branch", 25, 2, 0, 0);
            copse_params *p = options(settings[i]);
            copse_error err;
            must(cp_param_set(p, "trees", "1", &err), err);
            cp_mondrian *f = fit_rows(&s.rows, s.rows.n, p);
            f->hyper.gamma2 *= (double[]){.1, 1, 30}[scale];
            f->stale = 1;
            must(cp_mondrian_refresh(f, NULL, &err), err);
            cp_rng rng;
            cp_rng_init(&rng, seed_of("points"), CP_FOR_TEST, 0, 0);
            for (int k = 0; k < 12; k++) {
                double wide = k < 4 ? 1 : k < 8 ? 1.2 : 30; /* inside, at the rim, far away */
                float x[2] = {(float)(.5 + wide * (cp_rng_unit(&rng) - .5)),
                              (float)(.5 + wide * (cp_rng_unit(&rng) - .5))};
                check_prediction(f, x, at, sizeof at / sizeof *at);
            }
            check_prediction(f, s.x + 6, at, sizeof at / sizeof *at); /* a training row */
            float near[2] = {s.x[6] + 1e-6f, s.x[7]};
            check_prediction(f, near, at, sizeof at / sizeof *at);
            cp_mondrian_free(f);
            cp_param_free(p);
            free_sample(&s);
        }
}

static void far_away_is_the_prior(void **state) {
    (void)state;
    copse_error err;
    sample s = make_sample("far", 60, 2, 0, 0);
    const char *kinds[] = {"trees=5 posterior=exact", "trees=5 posterior=fast"};
    for (int i = 0; i < 2; i++) {
        copse_params *p = options(kinds[i]);
        cp_mondrian *f = fit_rows(&s.rows, s.rows.n, p);
        const float x[2] = {1e7f, -1e7f};
        cp_rows rows = {.task = COPSE_REGRESS, .n = 1, .dims = 2, .x = x};
        cp_answer a;
        must(cp_answer_init(&a, COPSE_REGRESS, 1, 0, &err), err);
        must(cp_method_mondrian.predict(f, &rows, p, &a, &err), err);
        cp_mixture mix = cp_answer_mixture(&a, 0);
        double var = f->moments.m2 / f->moments.n;
        assert_near(cp_mixture_mean(mix), f->center + f->hyper.mean, 1e-5);
        assert_near(cp_mixture_var(mix), i ? var + f->hyper.noise : f->hyper.gamma1 / 2 + f->hyper.noise, 1e-5);
        cp_answer_clear(&a);
        cp_mondrian_free(f);
        cp_param_free(p);
    }
    free_sample(&s);
}

/* The marginal likelihood that the search reports is no worse than the heuristic's, and a maximum: steps away from it
 * along each coordinate lose. */
static double marginal_at(cp_mondrian *f, cp_mondrian_hyper h) {
    copse_error err;
    f->hyper = h;
    f->stale = 1;
    must(cp_mondrian_refresh(f, NULL, &err), err);
    return f->log_marginal;
}

static void marginal_hyperparameters_are_a_maximum(void **state) {
    (void)state;
    sample s = make_sample("maximum", 150, 2, 0, 0);
    copse_params *plain = options("trees=6 posterior=exact"), *p = options("trees=6 hyper=marginal");
    cp_mondrian *a = fit_rows(&s.rows, s.rows.n, plain), *f = fit_rows(&s.rows, s.rows.n, p);
    cp_mondrian_hyper best = f->hyper;
    double top = f->log_marginal;
    assert_true(top > a->log_marginal);
    for (int k = 0; k < 4; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            cp_mondrian_hyper h = best;
            double step = exp(0.3 * sign);
            if (k == 0) h.mean += 0.3 * sign;
            if (k == 1) h.gamma1 *= step;
            if (k == 2) h.gamma2 *= step;
            if (k == 3) h.noise *= step;
            assert_true(marginal_at(f, h) < top);
        }
    cp_mondrian_free(a);
    cp_mondrian_free(f);
    cp_param_free(plain);
    cp_param_free(p);
    free_sample(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_node_equals_dense_conditioning),
        cmocka_unit_test(saturated_times_are_legal),
        cmocka_unit_test(a_large_offset_changes_nothing),
        cmocka_unit_test(predictions_equal_numerical_integration),
        cmocka_unit_test(far_away_is_the_prior),
        cmocka_unit_test(marginal_hyperparameters_are_a_maximum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
