/* The evidence that an island of particles estimates has the right mean, and so has evidence times prediction: on more
 * rows and particles than can be listed, by independent runs.
 *
 * Bound (Maurer and Pontil 2009, theorem 4): the mean of n independent values in [0, most], of sample variance v, is
 * farther than sqrt(2 v log(4/a) / n) + 7 most log(4/a) / (3 (n-1)) from its expectation with probability at most a. */
#include "island.h"
#include "ks.h"

enum { RUNS = 20000, PARTICLES = 5 };

static const char *const proposals[] = {"prior", "empirical", "optimal", "mixed"};
static const char *const expansions[] = {"node", "node-likelihood", "layer"};
static const char *const resamplings[] = {"multinomial", "systematic", "residual", "stratified"};

/* ------------------------------------------------------------------------------------------ how large Z-hat can be */

/* (different values - 1) gap / extent of a split: what the empirical proposal's weight has beyond the likelihood's. */
static double evenness(const ref_btree *b, const ref_btree_node *n) {
    float low = INFINITY, high = -INFINITY;
    double values = 0;
    for (size_t i = 0; i < b->n; i++) {
        float v = b->x[i * b->dims + (size_t)n->dim];
        int fresh = n->rows >> i & 1;
        for (size_t j = 0; j < i; j++) fresh &= !(n->rows >> j & 1 && b->x[j * b->dims + (size_t)n->dim] == v);
        if (!(n->rows >> i & 1)) continue;
        low = fminf(low, v);
        high = fmaxf(high, v);
        values += fresh;
    }
    return (values - 1) * ((double)n->high - n->low) / ((double)high - low);
}

/* The weight of a decision: with a proposal by mass it is a mean over decisions, so none is above the largest. */
static double increment(const island_problem *p, const ref_btree_tree *t, const ref_btree_node *n,
                        cp_btree_proposal proposal) {
    if (n->dim < 0) return 1;
    double l = ref_btree_log_leaf(&p->ref, t->node[n->left].rows) +
               ref_btree_log_leaf(&p->ref, t->node[n->right].rows) - ref_btree_log_leaf(&p->ref, n->rows);
    return exp(l) * (proposal == CP_BTREE_EMPIRICAL ? evenness(&p->ref, n) : 1);
}

static size_t count_rows(const ref_btree_node *n) {
    size_t count = 0;
    for (unsigned left = n->rows; left; left &= left - 1) count++;
    return count;
}

/* By layer: the largest product of increments of one depth, for each depth. */
static double most_by_layer(const island_problem *p, cp_btree_proposal proposal) {
    double most[REF_BTREE_ROWS], all = 1;
    for (size_t d = 0; d < REF_BTREE_ROWS; d++) most[d] = 1;
    for (size_t i = 0; i < p->all.n; i++) {
        const ref_btree_tree *t = &p->all.tree[i];
        for (unsigned d = 0; d < REF_BTREE_ROWS; d++) {
            double product = 1;
            for (size_t j = 0; j < t->nodes; j++)
                if (t->node[j].depth == d) product *= fmax(1, increment(p, t, &t->node[j], proposal));
            most[d] = fmax(most[d], product);
        }
    }
    for (size_t d = 0; d < REF_BTREE_ROWS; d++) all *= most[d];
    return all;
}

/* By node: of t blocks decided one after another the last has at most n - t + 1 of the n rows, for those before it
 * either contain it and a row more, or other rows. */
static double most_by_node(const island_problem *p, cp_btree_proposal proposal) {
    double most[REF_BTREE_ROWS + 1], all = 1;
    for (size_t n = 0; n <= REF_BTREE_ROWS; n++) most[n] = 1;
    for (size_t i = 0; i < p->all.n; i++) {
        const ref_btree_tree *t = &p->all.tree[i];
        for (size_t j = 0; j < t->nodes; j++) {
            double *m = &most[count_rows(&t->node[j])];
            *m = fmax(*m, increment(p, t, &t->node[j], proposal));
        }
    }
    for (size_t n = 1; n <= p->ref.n; n++) {
        most[n] = n < p->ref.n ? fmax(most[n], most[n - 1]) : most[n]; /* all rows: the first decision only */
        all *= most[n];
    }
    return all;
}

/* In every stage the mean weight is multiplied by at most the largest factor there is at that stage. */
static double most_evidence(const island_problem *p, const cp_btree_smc_options *opt) {
    double factor = opt->expansion == CP_BTREE_LAYER ? most_by_layer(p, opt->proposal) : most_by_node(p, opt->proposal);
    return factor * exp(ref_btree_log_leaf(&p->ref, (1u << p->ref.n) - 1));
}

static double most_predicted(const island_problem *p) {
    double most = 0;
    for (size_t i = 0; i < p->all.n; i++)
        for (size_t j = 0; j < p->all.tree[i].nodes; j++)
            most = fmax(most, ref_btree_leaf_predict(&p->ref, p->all.tree[i].node[j].rows, p->target));
    return most;
}

/* ------------------------------------------------------------------------------------------------------------ means */

typedef struct moments {
    double n, mean, squares, most;
} moments;

static void add(moments *m, double x) {
    double d = x - m->mean;
    assert_true(x >= 0 && x <= m->most * (1 + 1e-12)); /* or the bound is none */
    m->mean += d / ++m->n;
    m->squares += d * (x - m->mean);
}

static double bound(const moments *m) {
    double v = m->squares / (m->n - 1), log_term = log(4 / ALPHA);
    return sqrt(2 * v * log_term / m->n) + 7 * m->most * log_term / (3 * (m->n - 1));
}

/* Distance from the expectation as a share of the bound. */
static double excess(const moments *m, double expected) {
    return fabs(m->mean - expected) / bound(m);
}

typedef struct estimate {
    moments z, z_predicted;
    double resamplings;
} estimate;

enum { PLACE = 1 };

static estimate run_often(const island_problem *p, const cp_btree_smc_options *opt) {
    estimate e = {.z.most = most_evidence(p, opt)};
    e.z_predicted.most = e.z.most * most_predicted(p);
    for (size_t i = 0; i < RUNS; i++) {
        island_result r = island_run(p, opt, i);
        add(&e.z, exp(r.log_z));
        add(&e.z_predicted, exp(r.log_z) * r.predicted[PLACE]);
        e.resamplings += (double)r.resamplings / RUNS;
    }
    return e;
}

static void check(const island_problem *p, const cp_btree_smc_options *opt) {
    estimate e = run_often(p, opt);
    double z = exp(p->log_z), far = excess(&e.z, z), far_predicted = excess(&e.z_predicted, z * p->predicted[PLACE]);
    if (far < 1 && far_predicted < 1) return;
    fail_msg("%s, %s, %s, %s, %s: Z %g, mean of estimates %g, bound %g; with prediction %g times the bound", p->t->name,
             p->ref.classes ? "classes" : "numbers", proposals[opt->proposal], expansions[opt->expansion],
             resamplings[opt->resampling], z, e.z.mean, bound(&e.z), far_predicted);
}

/* Data and resampling take turns; every proposal meets every expansion. */
static void check_model(int numbers) {
    size_t turn = 0;
    for (int proposal = 0; proposal < 4; proposal++)
        for (int expansion = 0; expansion < 3; expansion++, turn++) {
            const tiny *t = &tinies[TINY_SMALL + (turn + (size_t)numbers) % (COUNT(tinies) - TINY_SMALL)];
            const cp_btree_smc_options opt = {.proposal = (cp_btree_proposal)proposal,
                                              .expansion = (cp_btree_expansion)expansion,
                                              .resampling = (cp_resampling)((turn + turn / 4) % 4),
                                              .ess_threshold = turn % 2 ? 0.9 : 2,
                                              .particles = PARTICLES,
                                              .max_stages = 100,
                                              .columns = 1};
            island_problem p;
            island_problem_init(&p, t, numbers);
            p.b.seed = seed_of("btree_mean") + turn;
            check(&p, &opt);
            island_problem_clear(&p);
        }
}

static void classes(void **state) {
    (void)state;
    check_model(0);
}

static void numbers(void **state) {
    (void)state;
    check_model(1);
}

/* The same runs against another prior. */
static void another_prior_is_noticed(void **state) {
    (void)state;
    for (int proposal = 0; proposal < 4; proposal++) {
        const cp_btree_smc_options opt = {.proposal = (cp_btree_proposal)proposal,
                                          .resampling = CP_RESAMPLE_MULTINOMIAL,
                                          .ess_threshold = 0.9,
                                          .particles = PARTICLES,
                                          .max_stages = 100,
                                          .columns = 1};
        island_problem p;
        island_problem_init(&p, &tinies[TINY_SMALL], 0);
        estimate e = run_often(&p, &opt);
        assert_true(e.resamplings > 0);
        assert_true(excess(&e.z, exp(p.log_z)) < 1);
        p.ref.alpha_split = 0.6;
        island_judge(&p);
        assert_true(excess(&e.z, exp(p.log_z)) > 1);
        island_problem_clear(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes),
        cmocka_unit_test(numbers),
        cmocka_unit_test(another_prior_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
