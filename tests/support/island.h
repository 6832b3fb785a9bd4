/* island - sequential Monte Carlo on tiny data, as tests of it want it: one run, its evidence and its predictions. */
#ifndef ISLAND_H
#define ISLAND_H

#include "btree/btree_smc.h"
#include "leaf/leaf_dirichlet.h"
#include "leaf/leaf_nig.h"
#include "num/dens.h"
#include "tiny.h"

/* One problem as the library and as the reference see it. */
typedef struct island_problem {
    const tiny *t;
    cp_rows rows;
    cp_btree_problem b;
    ref_btree ref;
    ref_btree_list all;
    double log_z, target;
    double predicted[TINY_PLACES]; /* of `target`, by the reference */
} island_problem;

/* What the reference says of its problem as it now is. */
static inline void island_judge(island_problem *p) {
    free(p->all.tree);
    p->all = ref_btree_all(&p->ref, REF_BTREE_GAPS);
    p->log_z = ref_btree_log_z(&p->all);
    for (size_t k = 0; k < TINY_PLACES; k++) {
        float x[2];
        tiny_place(p->t, k, x);
        p->predicted[k] = ref_btree_predict(&p->ref, &p->all, x, p->target);
    }
}

static inline void island_problem_init(island_problem *p, const tiny *t, int numbers) {
    copse_error err;
    copse_run run = {.threads = 1};
    *p = (island_problem){.t = t, .ref = tiny_reference(t, numbers), .target = numbers ? 0.4 : 1};
    p->rows = (cp_rows){.task = numbers ? COPSE_REGRESS : COPSE_CLASS,
                        .n = t->n,
                        .dims = t->dims,
                        .classes = numbers ? 0 : t->classes,
                        .x = t->x,
                        .label = numbers ? NULL : t->label,
                        .y = numbers ? t->y : NULL};
    const cp_btree_hyper hyper = {.split = {.alpha = p->ref.alpha_split, .beta = p->ref.beta_split},
                                  .alpha = p->ref.alpha,
                                  .kappa = p->ref.kappa,
                                  .nu = p->ref.nu,
                                  .lambda = p->ref.lambda};
    must(cp_btree_problem_init(&p->b, &p->rows, &hyper, 1, &run, &err), err);
    if (numbers) p->ref.y = p->b.y; /* standardised */
    island_judge(p);
}

static inline void island_problem_clear(island_problem *p) {
    cp_btree_problem_clear(&p->b);
    free(p->all.tree);
}

/* What a run left: its evidence, and its prediction of the target at each place. */
typedef struct island_result {
    double log_z, predicted[TINY_PLACES];
    size_t resamplings;
} island_result;

static inline double island_leaf_predict(const island_problem *p, const double *stat) {
    const cp_leaf *m = &p->b.leaf;
    if (m->classes) {
        double probs[REF_BTREE_ROWS] = {0};
        cp_leaf_dirichlet_predict(m, stat, 1, probs);
        return probs[(size_t)p->target];
    }
    cp_component c = cp_leaf_nig_predict(m, stat, 1);
    return exp(cp_dens_student_log((p->target - c.loc) / c.scale, c.df)) / c.scale;
}

static inline void island_predict(const island_problem *p, const cp_tree_set *g, double *out) {
    copse_error err;
    cp_tree_set_walker w;
    must(cp_tree_set_walker_init(&w, g, &err), err);
    for (size_t k = 0; k < TINY_PLACES; k++) {
        float x[2];
        tiny_place(p->t, k, x);
        cp_tree_set_walk(&w, CP_NONE, x);
        out[k] = 0;
        for (size_t i = 0; i < w.arrivals; i++)
            out[k] += w.arrival[i].share * island_leaf_predict(p, g->stat + (size_t)w.arrival[i].leaf * g->width);
    }
    cp_tree_set_walker_clear(&w);
}

static inline island_result island_run(const island_problem *p, const cp_btree_smc_options *opt, size_t island) {
    copse_error err;
    cp_btree_smc *s;
    cp_tree_set g;
    cp_btree_island out;
    must(cp_tree_set_init(&g, p->rows.dims, p->b.leaf.width, &err), err);
    must(cp_btree_smc_new(&p->b, opt, island, &s, &err), err);
    must(cp_btree_smc_run(s, 0, NULL, &err), err);
    must(cp_btree_smc_finish(s, &g, &out, &err), err);
    cp_btree_smc_free(s);
    must(cp_tree_set_finish(&g, &err), err);
    assert_false(out.cut_short);
    island_result r = {.log_z = out.log_marginal, .resamplings = out.resamplings};
    island_predict(p, &g, r.predicted);
    cp_btree_smc_clear_island(&out);
    cp_tree_set_clear(&g);
    return r;
}

#endif
