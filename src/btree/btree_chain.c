#include "btree/btree_chain.h"

#include <math.h>

#include "base/mem.h"
#include "bayes/moves_tree_check.h"

static int is_count(double v, size_t most) {
    return v >= 0 && v <= (double)most && v == floor(v);
}

/* Could some rows have these statistics?  The mean square of standardised targets is 1, so the squares in a leaf sum to
 * at most the number of rows. */
static int is_possible_stat(const cp_leaf *m, const double *stat) {
    double n = 0, most = 1.000001 * (double)m->rows;
    if (m->prior_only) {
        for (size_t k = 0; k < m->width; k++)
            if (stat[k] != 0) return 0;
        return 1;
    }
    if (!m->classes)
        return is_count(stat[0], m->rows) && stat[0] >= 1 && fabs(stat[1]) <= most && stat[2] >= 0 && stat[2] <= most;
    for (size_t k = 0; k < m->classes; k++) {
        if (!is_count(stat[k], m->rows)) return 0;
        n += stat[k];
    }
    return n >= 1 && n <= (double)m->rows;
}

/* C1 and C2 */
static const char *check_draws(const cp_btree_chain *c) {
    size_t due = cp_btree_mcmc_due(&c->opt, c->done), kept = c->trace.samples;
    if (c->done > c->opt.burn_in + c->opt.samples * c->opt.thin) return "C1: more iterations than there should be";
    if (kept != due && kept + 1 != due) return "C1: draws are missing";
    for (size_t i = 0; i < kept; i++)
        if (!isfinite(c->trace.log_post[i]) || !c->trace.leaves[i] || c->trace.leaves[i] > c->tree.rows)
            return "C2: a draw has an impossible trace";
    return NULL;
}

/* C3.  Subtracting cannot underflow: each term is compared with what is left. */
static const char *check_counts(const cp_btree_chain *c) {
    uint64_t left = c->done < c->opt.burn_in ? 0 : c->done - c->opt.burn_in;
    for (int k = 0; k < CP_MOVES; k++) {
        if (c->trace.accepted[k] > c->trace.proposed[k]) return "C3: more moves were accepted than proposed";
        if (c->trace.proposed[k] > left) return "C3: more moves were proposed than there were iterations";
        left -= c->trace.proposed[k];
    }
    return left ? "C3: fewer moves were proposed than there were iterations" : NULL;
}

/* C4 */
static const char *check_tree_set(const cp_btree_chain *c) {
    double sum = 0;
    for (size_t i = 0; i < c->tree_set.leaves; i++)
        if (!is_possible_stat(&c->problem->leaf, c->tree_set.stat + i * c->tree_set.width))
            return "C4: a leaf has an impossible statistic";
    for (size_t i = 0; i < c->tree_set.trees; i++) {
        if (!is_count(c->tree_set.weight[i], c->trace.samples) || c->tree_set.weight[i] < 1)
            return "C4: a weight is not a number of draws";
        sum += c->tree_set.weight[i];
    }
    return sum == (double)c->trace.samples ? NULL : "C4: the weights are not those of the draws";
}

static const char *check_sizes(const cp_btree_chain *c, cp_tree_set_size *size) {
    cp_tree_set_measure(&c->tree_set, size);
    for (size_t i = 0; i < c->tree_set.trees; i++)
        if (size[c->tree_set.root[i]].leaves > c->tree.rows) return "C4: a tree has more leaves than there are rows";
    return NULL;
}

/* C5, without the soundness of the tree */
static const char *check_last(const cp_btree_chain *c) {
    size_t kept = c->trace.samples, past = c->done < c->opt.burn_in ? 0 : c->done - c->opt.burn_in;
    int just_kept = kept && kept == cp_btree_mcmc_due(&c->opt, c->done) && past % c->opt.thin == 0;
    if (just_kept && (c->trace.log_post[kept - 1] != c->tree.log_prior + c->tree.log_likelihood ||
                      c->trace.leaves[kept - 1] != cp_moves_tree_leaves(&c->tree)))
        return "C5: the last draw is not the tree";
    return NULL;
}

const char *cp_btree_chain_check_draws(const cp_btree_chain *c, cp_tree_set_size *tmp) {
    const char *bad = check_draws(c);
    if (!bad) bad = check_counts(c);
    if (!bad) bad = check_tree_set(c);
    if (!bad) bad = check_sizes(c, tmp);
    return bad ? bad : check_last(c);
}

const char *cp_btree_chain_check(const cp_btree_chain *c) {
    cp_tree_set_size *tmp = cp_mem_raw(c->tree_set.nodes, sizeof *tmp);
    const char *bad = tmp ? cp_btree_chain_check_draws(c, tmp) : "no memory to check a chain";
    cp_mem_free(tmp);
    return bad ? bad : cp_moves_tree_check(&c->tree, &c->model);
}
