#include "dyntree/dyntree_step.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "num/math.h"

/* ---------------------------------------------------------------------------------------------------------- scratch */

copse_status cp_dyntree_step_init(cp_dyntree_step_scratch *d, const cp_dyntree *f, copse_error *err) {
    size_t n = f->particles;
    copse_status status;
    *d = (cp_dyntree_step_scratch){0};
    cp_arena_init(&d->rows);
    CP_TRY_OUT(CP_RAW(d->leaf, n, err));
    CP_TRY_OUT(CP_RAW(d->above, n, err));
    CP_TRY_OUT(CP_RAW(d->copy, n, err));
    CP_TRY_OUT(CP_RAW(d->next, n, err));
    CP_TRY_OUT(CP_RAW(d->parent, n, err));
    CP_TRY_OUT(CP_RAW(d->log_w, n, err));
    CP_TRY_OUT(CP_RAW(d->tmp, 2 * n, err));
    CP_TRY_OUT(CP_RAW(d->choice, n, err));
    CP_TRY_OUT(CP_RAW(d->group, n, err));
    CP_TRY_OUT(CP_RAW(d->low, f->dims, err));
    CP_TRY_OUT(CP_RAW(d->high, f->dims, err));
    CP_TRY_OUT(CP_NEW(d->known, f->dims, err));
    CP_TRY_OUT(CP_RAW(d->first, f->dims, err));
    for (size_t k = 0; k < f->dims; k++) d->first[k] = CP_NONE;
out:
    if (status) cp_dyntree_step_clear(d);
    return status;
}

void cp_dyntree_step_clear(cp_dyntree_step_scratch *d) {
    void *const all[] = {d->leaf, d->above, d->copy,  d->next,  d->parent, d->log_w, d->tmp,  d->choice, d->group,
                         d->low,  d->high,  d->known, d->first, d->side,   d->path,  d->todo, d->visited};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) cp_mem_free(all[i]);
    cp_arena_clear(&d->rows);
    *d = (cp_dyntree_step_scratch){0};
}

/* ------------------------------------------------------------------------------------------------------------ weigh */

static double log_predictive(const cp_dyntree *f, int32_t leaf, size_t row) {
    const double *stat = cp_dyntree_pool_stat(&f->pool, leaf);
    if (f->task == COPSE_CLASS)
        return cp_math_log((stat[f->label[row]] + f->alpha / (double)f->classes) /
                           ((double)f->pool.node[leaf].rows + f->alpha));
    double with[3] = {stat[0], stat[1], stat[2]};
    cp_leaf_add(&f->leaf, with, row);
    return cp_leaf_log_marginal(&f->leaf, with) - cp_leaf_log_marginal(&f->leaf, stat);
}

/* Descends from the root of a particle to the first node that another particle has visited in this sweep: the memo of
 * that node says where the rest of the path leads.  Nodes visited for the first time are listed and get a memo. */
static void find_leaf(cp_dyntree *f, cp_dyntree_step_scratch *d, size_t particle, const float *x) {
    cp_dyntree_pool *p = &f->pool;
    size_t from = d->n_visited, k = from;
    int32_t id = f->root[particle];
    cp_dyntree_node *n = &p->node[id];
    while (n->seen != p->sweep && !cp_dyntree_pool_is_leaf(n)) {
        n->seen = p->sweep;
        d->visited[k++] = id;
        id = x[n->dim] <= n->cut ? n->left : n->right;
        n = &p->node[id];
    }
    int leaf = cp_dyntree_pool_is_leaf(n);
    d->leaf[particle] = leaf ? id : n->memo.to.leaf;
    d->above[particle] = !leaf ? n->memo.to.above : k > from ? d->visited[k - 1] : CP_NONE;
    for (d->n_visited = k; k-- > from;) {
        p->node[d->visited[k]].memo.to.leaf = d->leaf[particle];
        p->node[d->visited[k]].memo.to.above = d->above[particle];
    }
}

copse_status cp_dyntree_step_find_leaves(cp_dyntree *f, cp_dyntree_step_scratch *d, size_t row, copse_error *err) {
    CP_TRY(CP_GROW(d->visited, d->cap_visited, f->pool.live, err));
    f->pool.sweep++;
    d->n_visited = 0;
    for (size_t i = 0; i < f->particles; i++) {
        if (i && f->root[i] == f->root[i - 1]) {
            d->leaf[i] = d->leaf[i - 1];
            d->above[i] = d->above[i - 1];
        } else {
            find_leaf(f, d, i, cp_dyntree_row(f, row));
        }
    }
    return COPSE_OK;
}

/* Sets the weights.  Returns the room that lists need for one more row in each leaf. */
static size_t weigh(cp_dyntree *f, cp_dyntree_step_scratch *d, size_t row) {
    size_t slots = 0;
    for (size_t i = 0; i < f->particles; i++) {
        cp_dyntree_node *n = &f->pool.node[d->leaf[i]];
        if (n->seen != f->pool.sweep) {
            n->seen = f->pool.sweep;
            n->memo.log = log_predictive(f, d->leaf[i], row);
            slots += cp_dyntree_pool_slots(n->rows + 1);
            d->visited[d->n_visited++] = d->leaf[i];
        }
        d->log_w[i] = n->memo.log;
    }
    return slots;
}

/* A copy of a particle has the same leaf and parent of the row. */
static void resample(cp_dyntree *f, cp_dyntree_step_scratch *d, size_t row) {
    cp_rng rng;
    cp_rng_init(&rng, f->seed, CP_FOR_RESAMPLE, 0, row);
    cp_particle_resample(f->resampling, d->log_w, f->particles, &rng, d->tmp, d->parent);
    for (size_t i = 0; i < f->particles; i++) {
        size_t from = d->parent[i];
        d->copy[i] = (cp_dyntree_place){f->root[from], d->leaf[from], d->above[from]};
        f->pool.node[f->root[from]].refs++;
    }
    for (size_t i = 0; i < f->particles; i++) cp_dyntree_pool_release(&f->pool, f->root[i]);
    for (size_t i = 0; i < f->particles; i++) {
        f->root[i] = d->copy[i].root;
        d->leaf[i] = d->copy[i].leaf;
        d->above[i] = d->copy[i].above;
    }
}

/* -------------------------------------------------------------------------------------------------------------- add */

static void add_to_leaf(cp_dyntree *f, int32_t leaf, size_t row) {
    double *stat = cp_dyntree_pool_stat(&f->pool, leaf);
    cp_dyntree_pool_append(&f->pool, leaf, (uint32_t)row);
    cp_leaf_add(&f->leaf, stat, row);
    f->pool.node[leaf].log_tree =
        cp_tree_prior_table_stop(&f->prior, f->pool.node[leaf].depth) + cp_leaf_log_marginal(&f->leaf, stat);
}

/* Adds the row once to every node that it passes, however many trees hold the node. */
static void add_to_nodes(cp_dyntree *f, const cp_dyntree_step_scratch *d, size_t row) {
    for (size_t k = 0; k < d->n_visited; k++) {
        cp_dyntree_node *n = &f->pool.node[d->visited[k]];
        if (cp_dyntree_pool_is_leaf(n))
            add_to_leaf(f, d->visited[k], row);
        else
            n->rows++;
    }
}

/* The tables of the leaf model have to reach to the number of rows. */
static copse_status extend_leaf_tables(cp_dyntree *f, copse_error *err) {
    cp_leaf longer;
    if (f->learnt < f->leaf.rows) return COPSE_OK;
    size_t rows = 2 * f->leaf.rows > f->rows ? 2 * f->leaf.rows : f->rows;
    CP_TRY(cp_dyntree_make_leaf(f, f->classes, rows, &longer, err));
    cp_leaf_clear(&f->leaf);
    f->leaf = longer;
    return COPSE_OK;
}

/* A new class changes the prior of every leaf, and so all that was computed from it. */
static copse_status add_classes(cp_dyntree *f, size_t classes, copse_error *err) {
    cp_dyntree_pool *p = &f->pool;
    cp_leaf leaf;
    double *stat = cp_mem_raw(p->cap_stat, classes * sizeof *stat);
    copse_status status = stat ? cp_dyntree_make_leaf(f, classes, f->leaf.rows, &leaf, err) : cp_fail_memory(err);
    if (status) {
        cp_mem_free(stat);
        return status;
    }
    cp_mem_free(p->stat);
    cp_leaf_clear(&f->leaf);
    p->stat = stat;
    p->width = f->classes = classes;
    f->leaf = leaf;
    for (size_t i = 0; i < p->nodes; i++) {
        if (!p->node[i].refs) continue;
        if (cp_dyntree_pool_is_leaf(&p->node[i]))
            cp_dyntree_refresh_leaf(f, (int32_t)i);
        else
            p->node[i].of.summed = 0;
    }
    return COPSE_OK;
}

copse_status cp_dyntree_step_add(cp_dyntree *f, cp_dyntree_step_scratch *d, copse_error *err) {
    size_t row = f->learnt;
    if (f->label && (size_t)f->label[row] >= f->classes) CP_TRY(add_classes(f, (size_t)f->label[row] + 1, err));
    CP_TRY(extend_leaf_tables(f, err));
    CP_TRY(cp_dyntree_step_find_leaves(f, d, row, err));
    CP_TRY(cp_dyntree_pool_reserve(&f->pool, 0, weigh(f, d, row), err));
    f->log_predictive += cp_particle_log_mean(d->log_w, f->particles);
    add_to_nodes(f, d, row);
    if (f->particles > 1) resample(f, d, row);
    d->found = ++f->learnt;
    return COPSE_OK;
}
