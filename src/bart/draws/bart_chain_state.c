#include "bart/draws/bart_chain_state.h"

#include <math.h>

#include "bart/core/bart_tree_check.h"

const float *cp_bart_chain_state_weight(const cp_bart_chain *c) {
    return c->opt_variance ? c->opt_variance->weight : c->problem->opt_weight;
}

cp_bart_view cp_bart_chain_state_view(const cp_bart_chain *c, const cp_bart_sum *s) {
    const cp_bart_problem *b = c->problem;
    return (cp_bart_view){.columns = &b->columns,
                          .split_probs = &s->split_probs,
                          .log_split = b->log_split,
                          .log_stop = b->log_stop,
                          .r = b->opt.prior_only ? NULL : s->r,
                          .opt_weight = cp_bart_chain_state_weight(c),
                          .leaf_var = s->leaf_var,
                          .noise_var = s->noise_var,
                          .opt_parallel = &c->parallel};
}

/* --------------------------------------------------------------------------------------------------------- residual */

/* out: target minus all trees but `except`, for n rows from `first` on. */
static void find_residual(const cp_bart_chain *c, const cp_bart_sum *s, int32_t except, size_t first, size_t n,
                          double *out) {
    for (size_t i = 0; i < n; i++) out[i] = (double)s->target[first + i];
    for (size_t m = 0; m < c->problem->opt.trees; m++) {
        const uint8_t *slot = s->tree[m].slot + first;
        const float *mu = s->tree[m].mu;
        if ((int32_t)m == except) continue;
        for (size_t i = 0; i < n; i++) out[i] -= (double)mu[slot[i]];
    }
}

static size_t piece_from(size_t first, size_t end) {
    return end - first < CP_LEAF_PASS_PIECE ? end - first : CP_LEAF_PASS_PIECE;
}

typedef struct refreshing {
    const cp_bart_chain *c;
    cp_bart_sum *s;
} refreshing;

static void refresh_rows(void *arg, size_t from, size_t to) {
    const refreshing *p = arg;
    double r[CP_LEAF_PASS_PIECE];
    for (size_t some; from < to; from += some) {
        some = piece_from(from, to);
        find_residual(p->c, p->s, CP_NONE, from, some, r);
        for (size_t i = 0; i < some; i++) p->s->r[from + i] = (float)r[i];
    }
}

void cp_bart_chain_state_refresh(const cp_bart_chain *c, cp_bart_sum *s) {
    refreshing p = {c, s};
    cp_bart_parallel_each(&c->parallel, c->problem->rows->n, refresh_rows, &p);
}

/* ------------------------------------------------------------------------------------------------------------ check */

static const char *check_residual(const cp_bart_chain *c, const cp_bart_sum *s, int32_t partial) {
    double r[CP_LEAF_PASS_PIECE];
    for (size_t first = 0, some; first < c->problem->rows->n; first += some) {
        some = piece_from(first, c->problem->rows->n);
        find_residual(c, s, partial, first, some, r);
        for (size_t i = 0; i < some; i++)
            if (!(fabs((double)s->r[first + i] - r[i]) <= 1e-4 * (1 + fabs((double)s->target[first + i]))))
                return "C3: a residual is not target minus trees";
    }
    return NULL;
}

/* 1 if `kept` draws are those that are due, or one fewer while the last sweep's draw has still to be kept. */
static int is_due(const cp_bart_chain *c, size_t kept) {
    const cp_bart_options *opt = &c->problem->opt;
    size_t due = cp_bart_options_draws_due(opt, c->done);
    if (kept == due) return 1;
    return kept + 1 == due && (c->done - opt->grow_from_root - opt->burn_in) % opt->thin == 0 && !c->at && !c->partial;
}

static const char *check_sum(const cp_bart_chain *c, size_t number) {
    const cp_bart_sum *s = &c->sum[number];
    const cp_bart_options *opt = &c->problem->opt;
    cp_bart_view v = cp_bart_chain_state_view(c, s);
    int32_t partial = c->partial && c->at / opt->trees == number ? (int32_t)(c->at % opt->trees) : CP_NONE;
    if (!is_due(c, s->draws.draws)) return "C1: draws are missing, or too many";
    if (!(s->noise_var > 0 && isfinite(s->noise_var)) || (s->latent && s->noise_var != 1))
        return "C5: impossible noise";
    v.r = NULL; /* sum_wr of a tree is that of its own last step, not of the current residual */
    for (size_t m = 0; m < opt->trees; m++) {
        const char *bad = cp_bart_tree_check(&s->tree[m], &v);
        if (bad) return bad;
    }
    return check_residual(c, s, partial);
}

const char *cp_bart_chain_state_check_trees(const cp_bart_chain *c) {
    const cp_bart_problem *b = c->problem;
    if (c->done > cp_bart_options_sweeps(&b->opt) || c->at >= b->sums * b->opt.trees) return "C1: too many sweeps";
    if (!is_due(c, c->trace.draws)) return "C1: the trace is not that of the draws";
    for (int k = 0; k < CP_BART_MOVES; k++)
        if (c->trace.tally.accepted[k] > c->trace.tally.proposed[k]) return "C4: more was accepted than proposed";
    if (c->opt_variance) {
        const char *bad = cp_bart_variance_check(c->opt_variance);
        if (!bad && !is_due(c, c->opt_variance->draws.draws)) bad = "C1: draws are missing, or too many";
        if (bad) return bad;
    }
    for (size_t k = 0; k < b->sums; k++) {
        const char *bad = check_sum(c, k);
        if (bad) return bad;
    }
    return NULL;
}

const char *cp_bart_chain_state_check(const cp_bart_chain *c) {
    const char *bad = cp_bart_chain_state_check_trees(c);
    for (size_t k = 0; k < c->problem->sums && !bad; k++) bad = cp_bart_draws_check(&c->sum[k].draws);
    return bad || !c->opt_variance ? bad : cp_bart_draws_check(&c->opt_variance->draws);
}
