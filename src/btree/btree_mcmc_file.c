/* A file may be damaged or forged.  So the tree and the tree set are built again node by node from checked values, and
 * at the end the chain's invariants are checked. */
#include <math.h>

#include "base/mem.h"
#include "base/number_rule.h"
#include "bayes/moves_file.h"
#include "btree/btree_chain.h"
#include "btree/btree_mcmc_file.h"

/* ---------------------------------------------------------------------------------------------------------- writing */

/* The nodes are written in the order in which they were added, so that they get the same numbers again. */
static copse_status write_tree_set(const cp_tree_set *g, cp_writer *w, copse_error *err) {
    copse_status status;
    int32_t *link = NULL;
    float *cut = NULL;
    CP_TRY_OUT(CP_RAW(link, 3 * g->nodes, err));
    CP_TRY_OUT(CP_RAW(cut, 2 * g->nodes, err));
    for (size_t i = 0; i < g->nodes; i++) {
        link[3 * i] = g->node[i].dim;
        link[3 * i + 1] = g->node[i].left;
        link[3 * i + 2] = g->node[i].right;
        cut[2 * i] = g->node[i].low;
        cut[2 * i + 1] = g->node[i].high;
    }
    CP_TRY_OUT(cp_writer_array(w, "link", CP_I32, link, 3 * g->nodes, err));
    CP_TRY_OUT(cp_writer_array(w, "cut", CP_F32, cut, 2 * g->nodes, err));
    CP_TRY_OUT(cp_writer_array(w, "stat", CP_F64, g->stat, g->leaves * g->width, err));
    CP_TRY_OUT(cp_writer_array(w, "root", CP_I32, g->root, g->trees, err));
    CP_TRY_OUT(cp_writer_array(w, "weight", CP_F64, g->weight, g->trees, err));
out:
    cp_mem_free(link);
    cp_mem_free(cut);
    return status;
}

static copse_status write_counts(const cp_btree_chain *c, cp_writer *w, copse_error *err) {
    int64_t count[2 * CP_MOVES];
    for (int k = 0; k < CP_MOVES; k++) {
        count[k] = (int64_t)c->trace.proposed[k];
        count[CP_MOVES + k] = (int64_t)c->trace.accepted[k];
    }
    CP_TRY(cp_writer_i64(w, "done", (int64_t)c->done, err));
    CP_TRY(cp_writer_i64(w, "kept", (int64_t)c->trace.samples, err));
    CP_TRY(cp_writer_array(w, "moves", CP_I64, count, (size_t)2 * CP_MOVES, err));
    CP_TRY(cp_writer_array(w, "log_post", CP_F64, c->trace.log_post, c->trace.samples, err));
    return cp_writer_array(w, "leaves", CP_U32, c->trace.leaves, c->trace.samples, err);
}

copse_status cp_btree_mcmc_file_write(const cp_btree_chain *c, cp_writer *w, copse_error *err) {
    CP_TRY(write_counts(c, w, err));
    CP_TRY(cp_writer_push(w, "tree", err));
    copse_status status = cp_moves_file_write(&c->tree, w, err);
    cp_writer_pop(w);
    if (status) return status;
    CP_TRY(cp_writer_push(w, "grove", err));
    status = write_tree_set(&c->tree_set, w, err);
    cp_writer_pop(w);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

static const cp_number_rule number_rules[] = {
    {.name = "log_post", .least = -CP_NUMBER_LOG, .most = CP_NUMBER_LOG},
    {.name = "grove.cut", .least = -CP_NUMBER_FEATURE, .most = CP_NUMBER_FEATURE},
    {.name = "grove.stat", .least = -CP_NUMBER_COUNT, .most = CP_NUMBER_COUNT},
    {.name = "grove.weight", .least = 0, .most = CP_NUMBER_COUNT},
};

typedef struct tree_set_arrays {
    size_t nodes, trees, leaves;
    int32_t *link, *root;
    float *cut;
    double *stat, *weight;
} tree_set_arrays;

static void clear_arrays(tree_set_arrays *p) {
    cp_mem_free(p->link);
    cp_mem_free(p->root);
    cp_mem_free(p->cut);
    cp_mem_free(p->stat);
    cp_mem_free(p->weight);
}

static copse_status read_arrays(tree_set_arrays *p, size_t width, cp_reader *r, copse_error *err) {
    size_t n;
    CP_TRY(cp_reader_count(r, "link", CP_I32, &n, err));
    if (n % 3) return cp_reader_bad(r, err, "a node has three links");
    p->nodes = n / 3;
    CP_TRY(cp_reader_array(r, "link", CP_I32, n, &p->link, err));
    for (size_t i = 0; i < p->nodes; i++) p->leaves += p->link[3 * i] == CP_NONE;
    CP_TRY(cp_reader_array(r, "cut", CP_F32, 2 * p->nodes, &p->cut, err));
    CP_TRY(cp_reader_count(r, "stat", CP_F64, &n, err));
    if (n / width != p->leaves || n % width)
        return cp_reader_bad(r, err, "the numbers of leaves and of statistics differ");
    CP_TRY(cp_reader_array(r, "stat", CP_F64, n, &p->stat, err));
    CP_TRY(cp_reader_count(r, "root", CP_I32, &p->trees, err));
    CP_TRY(cp_reader_array(r, "root", CP_I32, p->trees, &p->root, err));
    return cp_reader_array(r, "weight", CP_F64, p->trees, &p->weight, err);
}

/* Adds node i.  The file is refused if the node is there already or gets a number other than i. */
static copse_status add_node(cp_tree_set *g, const tree_set_arrays *p, size_t i, cp_reader *r, copse_error *err) {
    const int32_t *link = p->link + 3 * i;
    cp_tree_set_node n = {link[0], p->cut[2 * i], p->cut[2 * i + 1], link[1], link[2]};
    int32_t made, here = (int32_t)i;
    int leaf = n.dim == CP_NONE;
    int sound = leaf ? n.left == (int32_t)g->leaves && n.right == CP_NONE && n.low == 0 && n.high == 0
                     : n.dim >= 0 && (size_t)n.dim < g->dims && n.left >= 0 && n.left < here && n.right >= 0 &&
                           n.right < here && isfinite(n.low) && isfinite(n.high) && n.low < n.high;
    if (!sound) return cp_reader_bad(r, err, "node %zu of the tree set is impossible", i);
    CP_TRY(leaf ? cp_tree_set_leaf(g, p->stat + g->leaves * g->width, &made, err)
                : cp_tree_set_split(g, &n, &made, err));
    return made == here ? COPSE_OK : cp_reader_bad(r, err, "node %zu of the tree set is there twice", i);
}

static copse_status read_tree_set(cp_tree_set *g, cp_reader *r, copse_error *err) {
    tree_set_arrays p = {0};
    copse_status status;
    CP_TRY_OUT(read_arrays(&p, g->width, r, err));
    for (size_t i = 0; i < p.nodes; i++) CP_TRY_OUT(add_node(g, &p, i, r, err));
    for (size_t i = 0; i < p.trees; i++) {
        int known = p.root[i] >= 0 && (size_t)p.root[i] < p.nodes;
        if (known) CP_TRY_OUT(cp_tree_set_add(g, p.root[i], p.weight[i], err));
        if (!known || g->trees != i + 1) {
            status = cp_reader_bad(r, err, "tree %zu of the tree set is impossible, or there twice", i);
            goto out;
        }
    }
out:
    clear_arrays(&p);
    return status;
}

static copse_status read_counts(cp_btree_chain *c, cp_reader *r, copse_error *err) {
    cp_btree_trace *t = &c->trace;
    int64_t *count = NULL, done, kept;
    CP_NUMBER_RULES(r, number_rules);
    CP_TRY(cp_reader_i64(r, "done", 0, INT64_MAX, &done, err));
    CP_TRY(cp_reader_i64(r, "kept", 0, INT64_MAX, &kept, err));
    CP_TRY(cp_reader_array(r, "moves", CP_I64, (size_t)2 * CP_MOVES, &count, err));
    for (int k = 0; k < CP_MOVES; k++) { /* a negative count becomes too large, which C3 finds */
        t->proposed[k] = (uint64_t)count[k];
        t->accepted[k] = (uint64_t)count[CP_MOVES + k];
    }
    cp_mem_free(count);
    CP_TRY(cp_reader_array(r, "log_post", CP_F64, (size_t)kept, &t->log_post, err));
    CP_TRY(cp_reader_array(r, "leaves", CP_U32, (size_t)kept, &t->leaves, err));
    c->done = (size_t)done;
    t->samples = c->cap_log_post = c->cap_leaves = (size_t)kept;
    return COPSE_OK;
}

static copse_status read_chain(cp_btree_chain *c, cp_reader *r, copse_error *err) {
    CP_TRY(read_counts(c, r, err));
    CP_TRY(cp_reader_push(r, "tree", err));
    copse_status status = cp_moves_file_read(&c->moves, &c->tree, r, err);
    cp_reader_pop(r);
    if (status) return status;
    CP_TRY(cp_reader_push(r, "grove", err));
    status = read_tree_set(&c->tree_set, r, err);
    cp_reader_pop(r);
    if (status) return status;
    cp_tree_set_size *tmp;
    CP_TRY(CP_RAW(tmp, c->tree_set.nodes, err));
    const char *bad = cp_btree_chain_check_draws(c, tmp);
    cp_mem_free(tmp);
    return bad ? cp_reader_bad(r, err, "%s", bad) : COPSE_OK;
}

copse_status cp_btree_mcmc_file_read(cp_reader *r, const cp_btree_problem *b, const cp_btree_mcmc_options *opt,
                                     size_t chain, cp_btree_chain **out, copse_error *err) {
    cp_btree_chain *c;
    CP_TRY(cp_btree_mcmc_new(b, opt, chain, &c, err));
    copse_status status = read_chain(c, r, err);
    if (status)
        cp_btree_mcmc_free(c);
    else
        *out = c;
    return status;
}
