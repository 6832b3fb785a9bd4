#include "bart_law.h"

#include "num/draw.h"

enum { ROWS = 14, DIMS = 3, TREES = 3, NOISE_TREES = 2, REPEATS = 4, FEATURES = 15 };
static const char *const feature_name[FEATURES] = {"noise",
                                                   "leaves",
                                                   "depth",
                                                   "first cut",
                                                   "splits on column 0",
                                                   "fitted",
                                                   "fitted less another",
                                                   "target",
                                                   "square residual",
                                                   "share of column 0",
                                                   "a leaf's mu",
                                                   "variance of leaves",
                                                   "tau",
                                                   "leaves of variance",
                                                   "weight"};

typedef struct world {
    float x[ROWS * DIMS];
    float weight[ROWS];
    double given[ROWS]; /* weights as rows have them */
    int32_t label[ROWS];
    cp_rows rows;
    cp_bart_problem b;
    double offset;
    float y[ROWS];
} world;

/* Continuous, with ties, and all but constant; the last two rows are equal, or each two. */
static void fill_rows(world *w, int in_pairs) {
    cp_rng rng;
    cp_rng_init(&rng, seed_of("rows of the joint test"), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < ROWS; i++) {
        float *x = w->x + i * DIMS;
        x[0] = (float)cp_rng_unit(&rng);
        x[1] = (float)cp_rng_below(&rng, 3);
        x[2] = i == 5;
        if (i == ROWS - 1 || (in_pairs && i % 2)) memcpy(x, x - DIMS, DIMS * sizeof *x);
    }
}

static void init_world(world *w, const bart_law *law, const bart_belief *of) {
    copse_error err;
    *w = (world){.offset = .3};
    fill_rows(w, of->classes && of->weighted);
    for (size_t i = 0; i < ROWS; i++) w->given[i] = w->weight[i] = (float)(i % 4); /* some count nothing */
    w->rows = (cp_rows){.task = of->classes ? COPSE_CLASS : COPSE_REGRESS, .n = ROWS, .dims = DIMS, .x = w->x};
    w->rows.label = w->label;
    w->rows.classes = of->classes ? 2 : 0;
    cp_bart_problem *b = &w->b;
    *b = (cp_bart_problem){.rows = &w->rows, .sums = 1, .y = w->y, .scale = 1, .sigma_hat = 1, .offset = &w->offset};
    b->positive_rows = ROWS;
    if (of->weighted) {
        w->rows.weight = w->given;
        b->opt_weight = w->weight;
        b->positive_rows = 0;
        for (size_t i = 0; i < ROWS; i++) b->positive_rows += w->weight[i] > 0;
    }
    b->hyper = (cp_bart_hyper){of->leaf_var, of->nu, of->lambda};
    b->opt = (cp_bart_options){
        .sampler = law->sampler, .sampler_opt = law->sampler_opt, .trees = TREES, .samples = law->sweeps, .thin = 1};
    b->opt.split = of->split;
    b->opt.dart = of->sparse;
    b->opt.sample_k = of->sample_k;
    b->opt.noise_trees = of->uneven ? NOISE_TREES : 0;
    for (size_t d = 0; d < CP_BART_MAX_DEPTHS; d++) {
        b->log_split[d] = d + 1 < CP_BART_MAX_DEPTHS ? cp_tree_prior_log_split(&of->split, d) : -INFINITY;
        b->log_stop[d] = d + 1 < CP_BART_MAX_DEPTHS ? cp_tree_prior_log_stop(&of->split, d) : 0;
    }
    cp_bart_matrix x = {.x = w->x, .rows = ROWS, .dims = DIMS};
    must(cp_bart_columns_init(&b->columns, &x, of->cuts, 5, NULL, &err), err);
}

/* --------------------------------------------------------------------------------------------------- from the prior */

static void draw_tree(const cp_bart_view *v, cp_bart_tree *t, cp_rng *rng) {
    copse_error err;
    int16_t open[CP_BART_MAX_LEAVES] = {0};
    size_t n = 1;
    while (n) {
        cp_bart_split s = {.node = open[--n]};
        const cp_bart_node *node = &t->node[s.node];
        if (!t->leaf[node->slot].open || log(cp_rng_unit(rng)) >= v->log_split[node->depth]) continue;
        assert_true(cp_bart_split_probs_draw_rule(v, (cp_bart_group){t->slot, (uint8_t)node->slot}, rng, &s.rule));
        s.cut = cp_bart_columns_cut(v->columns, s.rule, rng);
        must(cp_bart_tree_reserve(t, cp_bart_tree_leaves(t) + 1, &err), err);
        assert_true(cp_bart_tree_try_split(t, v, &s));
        cp_bart_tree_split(t, v, &s);
        open[n++] = t->node[s.node].left;
        open[n++] = (int16_t)(t->node[s.node].left + 1);
    }
}

static void draw_probs(cp_bart_dart *dart, cp_bart_split_probs *probs, cp_rng *rng) {
    double u = cp_rng_unit(rng), all; /* theta/(theta + D) ~ Beta(1/2, 1) is a square */
    dart->theta = dart->theta_of[(size_t)(u * u * CP_BART_DART_THETAS)];
    for (size_t d = 0; d < DIMS; d++) dart->log_s[d] = cp_draw_log_gamma(rng, dart->theta / DIMS);
    all = fmax(dart->log_s[0], fmax(dart->log_s[1], dart->log_s[2]));
    all += log(exp(dart->log_s[0] - all) + exp(dart->log_s[1] - all) + exp(dart->log_s[2] - all));
    for (size_t d = 0; d < DIMS; d++) dart->log_s[d] -= all;
    cp_bart_dart_set_probs(dart, probs);
}

static void sum_weights(const float *weight, cp_bart_tree *t) {
    for (size_t k = 0; k < cp_bart_tree_leaves(t); k++) t->leaf[k].sum_w = 0;
    for (size_t i = 0; i < ROWS; i++) t->leaf[t->slot[i]].sum_w += (double)weight[i];
}

static void draw_variance(cp_bart_variance *v, cp_rng *rng) {
    double all = 0, u = cp_rng_unit(rng);
    for (size_t i = 0; i < CP_BART_VARIANCE_TAUS; i++) all += exp(v->log_prior[i]);
    for (v->tau = 0; v->tau + 1 < CP_BART_VARIANCE_TAUS; v->tau++)
        if ((u -= exp(v->log_prior[v->tau]) / all) < 0) break;
    cp_bart_view view = cp_bart_variance_view(v, NULL);
    view.r = NULL;
    for (size_t m = 0; m < NOISE_TREES; m++) {
        draw_tree(&view, &v->tree[m], rng);
        cp_bart_tree_draw_mu(&v->tree[m], &view, rng);
    }
    cp_bart_variance_refresh(v, NULL);
}

/* Everything but the targets. */
static void draw_state(cp_bart_chain *c, const world *w, cp_rng *rng) {
    cp_bart_sum *s = c->sum;
    const cp_bart_hyper *h = &w->b.hyper;
    s->noise_var = w->rows.task == COPSE_CLASS ? 1 : 0.5 * h->nu * h->lambda / cp_draw_gamma(rng, 0.5 * h->nu);
    if (w->b.opt.dart) draw_probs(&s->dart, &s->split_probs, rng);
    cp_bart_view v = cp_bart_chain_state_view(c, s);
    v.log_split = w->b.log_split;
    v.log_stop = w->b.log_stop;
    v.leaf_var = h->leaf_var;
    if (w->b.opt.sample_k) v.leaf_var = s->leaf_var = 0.5 * 3 * h->leaf_var / cp_draw_gamma(rng, 0.5 * 3);
    v.r = NULL;
    for (size_t m = 0; m < TREES; m++) {
        draw_tree(&v, &s->tree[m], rng);
        cp_bart_tree_draw_mu(&s->tree[m], &v, rng);
    }
    if (c->opt_variance) draw_variance(c->opt_variance, rng);
    for (size_t m = 0; m < TREES && c->opt_variance; m++) sum_weights(c->opt_variance->weight, &s->tree[m]);
}

static double sum_of_trees(const cp_bart_sum *s, size_t row) {
    double f = 0;
    for (size_t m = 0; m < TREES; m++) f += (double)s->tree[m].mu[s->tree[m].slot[row]];
    return f;
}

static void draw_label(world *w, cp_bart_sum *s, size_t row, cp_rng *rng) {
    double f = sum_of_trees(s, row), e = cp_draw_normal(rng);
    w->label[row] = w->offset + f + e > 0;
    s->latent[row] = (float)(f + e);
}

/* Rows i and i + 1 are alike: the first counts the labels 1 among REPEATS, the second the labels 0.  A latent is the
 * mean of those that are counted. */
static void draw_counts(world *w, cp_bart_sum *s, size_t row, cp_rng *rng) {
    double f = sum_of_trees(s, row), sum[2] = {0};
    size_t count[2] = {0};
    for (int k = 0; k < REPEATS; k++) {
        double e = cp_draw_normal(rng);
        int label = w->offset + f + e > 0;
        count[label]++;
        sum[label] += e;
    }
    for (size_t label = 0; label < 2; label++) {
        size_t i = row + 1 - label;
        w->label[i] = (int32_t)label;
        w->weight[i] = (float)count[label];
        s->latent[i] = (float)(f + (count[label] ? sum[label] / (double)count[label] : 0));
    }
}

static void draw_numbers(world *w, const cp_bart_chain *c, cp_rng *rng) {
    const cp_bart_sum *s = c->sum;
    const float *weights = c->opt_variance ? c->opt_variance->weight : w->b.opt_weight ? w->weight : NULL;
    for (size_t i = 0; i < ROWS; i++) {
        double weight = weights ? (double)weights[i] : 1, e = cp_draw_normal(rng);
        /* a target that counts nothing may be anything */
        w->y[i] = (float)(weight > 0 ? sum_of_trees(s, i) + sqrt(s->noise_var / weight) * e : 9);
    }
}

static void draw_targets(world *w, cp_bart_chain *c, cp_rng *rng) {
    cp_bart_sum *s = c->sum;
    if (w->rows.task == COPSE_REGRESS) {
        draw_numbers(w, c, rng);
    } else if (!w->b.opt_weight) {
        for (size_t i = 0; i < ROWS; i++) draw_label(w, s, i, rng);
    } else {
        for (size_t i = 0; i < ROWS; i += 2) draw_counts(w, s, i, rng);
        for (size_t m = 0; m < TREES; m++) sum_weights(w->weight, &s->tree[m]);
    }
}

/* --------------------------------------------------------------------------------------------------------- features */

static void features_of(const world *w, const cp_bart_chain *c, double *out[FEATURES], size_t run) {
    const cp_bart_sum *s = c->sum;
    const cp_bart_node *root = s->tree[1].node;
    double leaves = 0, depth = 0, asked = 0, squares = 0;
    for (size_t m = 0; m < TREES; m++) {
        const cp_bart_tree *t = &s->tree[m];
        leaves += (double)cp_bart_tree_leaves(t);
        depth += (double)cp_bart_tree_depth(t);
        for (size_t u = 0; u < cp_bart_tree_nodes(t); u++)
            asked += t->node[u].left != CP_NONE && t->node[u].rule.dim == 0;
    }
    for (size_t i = 0; i < ROWS; i++) {
        double r = (double)s->target[i] - sum_of_trees(s, i), weight = w->b.opt_weight ? (double)w->weight[i] : 1;
        squares += weight * r * r;
    }
    out[0][run] = s->noise_var;
    out[1][run] = leaves;
    out[2][run] = depth;
    out[3][run] = root->left == CP_NONE ? -1 : 10.0 * root->rule.dim + (double)root->cut;
    out[4][run] = asked;
    out[5][run] = sum_of_trees(s, 2);
    out[6][run] = sum_of_trees(s, 2) - sum_of_trees(s, 7);
    out[7][run] = w->rows.task == COPSE_CLASS ? (double)s->latent[2] : (double)w->y[2];
    out[8][run] = squares;
    out[10][run] = (double)s->tree[2].mu[0];
    out[11][run] = s->leaf_var;
    const cp_bart_variance *v = c->opt_variance;
    out[12][run] = v ? (double)v->tau : 0;
    out[13][run] = v ? (double)(cp_bart_tree_leaves(v->tree) + cp_bart_tree_leaves(v->tree + 1)) : 0;
    out[14][run] = v ? (double)v->weight[2] : 0;
    out[9][run] = s->split_probs.opt_s ? s->split_probs.opt_s[0] : 0;
}

/* The chain is made for the problem it is told; what it starts from is drawn by the one that is. */
static void run_chains(const bart_law *law, world *w, world *told, uint64_t seed, size_t sweeps,
                       double *out[FEATURES]) {
    copse_error err;
    told->b.y = w->y;
    told->rows.label = w->label;
    if (told->b.opt_weight) told->b.opt_weight = w->weight;
    told->b.seed = seed;
    for (size_t i = 0; i < law->runs; i++) {
        cp_bart_chain *c = NULL;
        cp_rng rng;
        cp_rng_init(&rng, seed, CP_FOR_TEST, (uint32_t)i, 0);
        must(cp_bart_chain_new(&told->b, i, &c, &err), err);
        draw_state(c, w, &rng);
        draw_targets(w, c, &rng);
        cp_bart_chain_state_refresh(c, c->sum);
        if (sweeps) must(cp_bart_chain_run(c, sweeps, NULL, &err), err);
        const char *bad = i % 1000 == 0 && sweeps ? cp_bart_chain_state_check(c) : NULL;
        if (bad) fail_msg("%s", bad);
        features_of(w, c, out, i);
        cp_bart_chain_free(c);
    }
}

static double *room(size_t runs, double *out[FEATURES]) {
    double *all = malloc(FEATURES * runs * sizeof *all);
    for (size_t f = 0; f < FEATURES; f++) out[f] = all + f * runs;
    return all;
}

double bart_law_distance(const bart_law *law, const bart_belief *is, const bart_belief *told, const char *name) {
    world w, judge;
    double *fresh[FEATURES], *after[FEATURES], *a = room(law->runs, fresh), *b = room(law->runs, after), most = 0;
    int worst = 0;
    init_world(&w, law, is);
    init_world(&judge, law, told);
    run_chains(law, &w, &judge, seed_of("untouched"), 0, fresh);
    run_chains(law, &w, &judge, seed_of(name), law->sweeps, after);
    for (int f = 0; f < FEATURES; f++) {
        double d = ks_two(fresh[f], after[f], law->runs) / ks_bound_two(law->runs);
        worst = d > most ? f : worst;
        most = fmax(most, d);
    }
    print_message("%s: %.2f of the bound (%s)\n", name, most, feature_name[worst]);
    cp_bart_columns_clear(&w.b.columns);
    cp_bart_columns_clear(&judge.b.columns);
    free(a);
    free(b);
    return most;
}
