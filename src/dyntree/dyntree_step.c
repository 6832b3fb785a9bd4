#include "dyntree/dyntree_step.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

/* ---------------------------------------------------------------------------------------------------------------- desk */

copse_status cp_dyntree_desk_init(cp_dyntree_desk *d, const cp_dyntree *f, copse_error *err) {
    size_t n = f->particles;
    copse_status status;
    *d = (cp_dyntree_desk){0};
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
    if (status) cp_dyntree_desk_clear(d);
    return status;
}

void cp_dyntree_desk_clear(cp_dyntree_desk *d) {
    void *const all[] = {d->leaf,   d->above, d->copy, d->next, d->parent, d->log_w, d->tmp,
                         d->choice, d->group, d->low,  d->high, d->known,  d->first, d->column,
                         d->label,  d->y,     d->side, d->path, d->todo,   d->meet};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) cp_mem_free(all[i]);
    *d = (cp_dyntree_desk){0};
}

/* --------------------------------------------------------------------------------------------------------------- weigh */

static double log_predictive(const cp_dyntree *f, int32_t leaf, size_t row) {
    const double *stat = cp_dyntree_pool_stat(&f->pool, leaf);
    if (f->task == COPSE_CLASS)
        return log((stat[f->label[row]] + f->alpha / (double)f->classes) /
                   ((double)f->pool.node[leaf].rows + f->alpha));
    double with[3] = {stat[0], stat[1], stat[2]};
    cp_leaf_add(&f->leaf, with, row);
    return cp_leaf_log_marginal(&f->leaf, with) - cp_leaf_log_marginal(&f->leaf, stat);
}

/* Down from the root of a particle, as far as no other particle has gone in this sweep: from there on the way is known.  All nodes
 * that are new are noted, and told where they lead. */
static void find_leaf(cp_dyntree *f, cp_dyntree_desk *d, size_t particle, const float *x) {
    cp_dyntree_pool *p = &f->pool;
    size_t from = d->met, k = from;
    int32_t id = f->root[particle];
    cp_dyntree_node *n = &p->node[id];
    while (n->seen != p->sweep && !cp_dyntree_is_leaf(n)) {
        n->seen = p->sweep;
        d->meet[k++] = id;
        id = x[n->dim] <= n->cut ? n->left : n->right;
        n = &p->node[id];
    }
    int leaf = cp_dyntree_is_leaf(n);
    d->leaf[particle] = leaf ? id : n->memo.to.leaf;
    d->above[particle] = !leaf ? n->memo.to.above : k > from ? d->meet[k - 1] : CP_NONE;
    for (d->met = k; k-- > from;) {
        p->node[d->meet[k]].memo.to.leaf = d->leaf[particle];
        p->node[d->meet[k]].memo.to.above = d->above[particle];
    }
}

/* Where the row falls in each tree. */
static copse_status find_leaves(cp_dyntree *f, cp_dyntree_desk *d, size_t row, copse_error *err) {
    CP_TRY(CP_GROW(d->meet, d->cap_meet, f->pool.live, err));
    f->pool.sweep++;
    d->met = 0;
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

/* Returns the room that lists need for one row more in each leaf. */
static size_t weigh(cp_dyntree *f, cp_dyntree_desk *d, size_t row) {
    size_t slots = 0;
    for (size_t i = 0; i < f->particles; i++) {
        cp_dyntree_node *n = &f->pool.node[d->leaf[i]];
        if (n->seen != f->pool.sweep) {
            n->seen = f->pool.sweep;
            n->memo.log = log_predictive(f, d->leaf[i], row);
            slots += cp_dyntree_pool_slots(n->rows + 1);
            d->meet[d->met++] = d->leaf[i];
        }
        d->log_w[i] = n->memo.log;
    }
    return slots;
}

/* What was found out about a particle is true of its copies. */
static void resample(cp_dyntree *f, cp_dyntree_desk *d, size_t row) {
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

/* ----------------------------------------------------------------------------------------------------------------- add */

static void add_to_leaf(cp_dyntree *f, int32_t leaf, size_t row) {
    double *stat = cp_dyntree_pool_stat(&f->pool, leaf);
    cp_dyntree_pool_append(&f->pool, leaf, (uint32_t)row);
    cp_leaf_add(&f->leaf, stat, row);
    f->pool.node[leaf].log_tree =
        cp_dyntree_log_stop(f, f->pool.node[leaf].depth) + cp_leaf_log_marginal(&f->leaf, stat);
}

/* To every node above the row, once, whoever holds it. */
static void add_to_nodes(cp_dyntree *f, const cp_dyntree_desk *d, size_t row) {
    for (size_t k = 0; k < d->met; k++) {
        cp_dyntree_node *n = &f->pool.node[d->meet[k]];
        if (cp_dyntree_is_leaf(n))
            add_to_leaf(f, d->meet[k], row);
        else
            n->rows++;
    }
}

/* The tables of the leaf model reach as far as there are rows. */
static copse_status stretch_leaf(cp_dyntree *f, copse_error *err) {
    cp_leaf longer;
    if (f->learnt < f->leaf.rows) return COPSE_OK;
    size_t rows = 2 * f->leaf.rows > f->rows ? 2 * f->leaf.rows : f->rows;
    CP_TRY(cp_dyntree_make_leaf(f, f->classes, rows, &longer, err));
    cp_leaf_clear(&f->leaf);
    f->leaf = longer;
    return COPSE_OK;
}

/* A class more changes the prior of every leaf, and so all that was computed from it. */
static copse_status widen(cp_dyntree *f, size_t classes, copse_error *err) {
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
        if (cp_dyntree_is_leaf(&p->node[i]))
            cp_dyntree_settle_leaf(f, (int32_t)i);
        else
            p->node[i].of.summed = 0;
    }
    return COPSE_OK;
}

copse_status cp_dyntree_add(cp_dyntree *f, cp_dyntree_desk *d, copse_error *err) {
    size_t row = f->learnt;
    if (f->label && (size_t)f->label[row] >= f->classes) CP_TRY(widen(f, (size_t)f->label[row] + 1, err));
    CP_TRY(stretch_leaf(f, err));
    CP_TRY(find_leaves(f, d, row, err));
    CP_TRY(cp_dyntree_pool_reserve(&f->pool, 0, weigh(f, d, row), err));
    f->log_predictive += cp_particle_log_mean(d->log_w, f->particles);
    add_to_nodes(f, d, row);
    if (f->particles > 1) resample(f, d, row);
    d->found = ++f->learnt;
    return COPSE_OK;
}

/* -------------------------------------------------------------------------------------------------------------- choose */

static void gather_column(const cp_dyntree *f, cp_dyntree_desk *d, int32_t leaf, size_t dim) {
    const uint32_t *list = cp_dyntree_pool_list(&f->pool, leaf);
    size_t n = f->pool.node[leaf].rows;
    for (size_t k = 0; k < n; k++) d->column[k] = f->x[list[k] * f->dims + dim];
}

/* The k-th smallest, from 0 on (Hoare's way): it comes to its place, between smaller and larger ones. */
static float nth_smallest(float *v, size_t n, size_t k) {
    ptrdiff_t low = 0, high = (ptrdiff_t)n - 1, at = (ptrdiff_t)k;
    while (low < high) {
        float pivot = v[at];
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            while (v[i] < pivot) i++;
            while (v[j] > pivot) j--;
            if (i > j) break;
            float t = v[i];
            v[i++] = v[j];
            v[j--] = t;
        }
        if (j < at) low = i;
        if (i > at) high = j;
    }
    return v[k];
}

/* Between which values of a column a cut leaves min_leaf rows on both sides: low <= cut < high. */
static void find_range(const cp_dyntree *f, cp_dyntree_desk *d, int32_t leaf, size_t dim) {
    size_t n = f->pool.node[leaf].rows, m = f->min_leaf;
    if (d->known[dim] == d->groups) return;
    d->known[dim] = d->groups;
    gather_column(f, d, leaf, dim);
    if (m > 1) {
        d->low[dim] = nth_smallest(d->column, n, m - 1);
        d->high[dim] = nth_smallest(d->column, n, n - m);
        return;
    }
    float low = d->column[0], high = low;
    for (size_t k = 1; k < n; k++) {
        low = d->column[k] < low ? d->column[k] : low;
        high = d->column[k] > high ? d->column[k] : high;
    }
    d->low[dim] = low;
    d->high[dim] = high;
}

static int can_cut(const cp_dyntree *f, cp_dyntree_desk *d, int32_t leaf, size_t dim) {
    find_range(f, d, leaf, dim);
    return d->low[dim] < d->high[dim];
}

/* Uniform among the columns that can be cut: any column, until one can; after a while, one of a list of them. */
static int32_t draw_column(const cp_dyntree *f, cp_dyntree_desk *d, int32_t leaf, cp_rng *rng) {
    enum { TRIES = 16 };
    size_t able = 0;
    for (int t = 0; t < TRIES; t++) {
        size_t dim = (size_t)cp_rng_below(rng, f->dims);
        if (can_cut(f, d, leaf, dim)) return (int32_t)dim;
    }
    for (size_t dim = 0; dim < f->dims; dim++) able += (size_t)can_cut(f, d, leaf, dim);
    if (!able) return CP_NONE;
    size_t pick = (size_t)cp_rng_below(rng, able), dim = 0;
    for (;; dim++)
        if (can_cut(f, d, leaf, dim) && !pick--) return (int32_t)dim;
}

static void draw_cut(const cp_dyntree *f, cp_dyntree_desk *d, int32_t leaf, cp_rng *rng, cp_dyntree_choice *c) {
    c->dim = draw_column(f, d, leaf, rng);
    if (c->dim == CP_NONE) return;
    double low = (double)d->low[c->dim], high = (double)d->high[c->dim];
    c->cut = (float)(low + cp_rng_unit(rng) * (high - low));
    if (c->cut >= d->high[c->dim]) c->cut = d->low[c->dim]; /* rounded up to it */
}

/* The log marginal likelihoods of the two sides of a cut, added up; d->column holds the column. */
static double log_sides(const cp_dyntree *f, cp_dyntree_desk *d, int32_t leaf, cp_dyntree_choice *c) {
    size_t n = f->pool.node[leaf].rows, width = f->pool.width;
    double *left = d->side, *right = d->side + width;
    const double *whole = cp_dyntree_pool_stat(&f->pool, leaf);
    memset(d->side, 0, 2 * width * sizeof *d->side);
    c->left = 0;
    if (f->task == COPSE_CLASS) {
        for (size_t k = 0; k < n; k++) {
            int below = d->column[k] <= c->cut;
            left[d->label[k]] += below;
            c->left += (uint32_t)below;
        }
        for (size_t k = 0; k < width; k++) right[k] = whole[k] - left[k];
    } else {
        for (size_t k = 0; k < n; k++) {
            double *side = d->column[k] <= c->cut ? left : right, y = d->y[k];
            side[0]++;
            side[1] += y;
            side[2] += y * y;
        }
        c->left = (uint32_t)left[0];
    }
    return cp_leaf_log_marginal(&f->leaf, left) + cp_leaf_log_marginal(&f->leaf, right);
}

/* Trees differ in the node above the leaf, or in the leaf itself if it is the root. */
static void weigh_moves(const cp_dyntree *f, const cp_dyntree_desk *d, size_t particle, double log_grow,
                        cp_dyntree_choice *c) {
    const cp_dyntree_node *leaf = &f->pool.node[d->leaf[particle]];
    int32_t up = d->above[particle];
    c->log_w[CP_DYNTREE_PRUNE] = up == CP_NONE ? -INFINITY : f->pool.node[up].memo.log;
    c->log_w[CP_DYNTREE_STAY] = up == CP_NONE ? leaf->log_tree : f->pool.node[up].log_tree;
    c->log_w[CP_DYNTREE_GROW] = c->log_w[CP_DYNTREE_STAY] - leaf->log_tree + log_grow;
}

static void decide(cp_dyntree_choice *c) {
    double top = fmax(fmax(c->log_w[0], c->log_w[1]), c->log_w[2]), w[CP_DYNTREE_MOVES], sum = 0;
    for (int k = 0; k < CP_DYNTREE_MOVES; k++) sum += w[k] = exp(c->log_w[k] - top);
    double at = c->u * sum;
    c->move = at < w[CP_DYNTREE_STAY]                         ? CP_DYNTREE_STAY
              : at < w[CP_DYNTREE_STAY] + w[CP_DYNTREE_PRUNE] ? CP_DYNTREE_PRUNE
              : w[CP_DYNTREE_GROW] > 0                        ? CP_DYNTREE_GROW
                                                              : CP_DYNTREE_STAY;
}

static void gather_targets(const cp_dyntree *f, cp_dyntree_desk *d, int32_t leaf) {
    const uint32_t *list = cp_dyntree_pool_list(&f->pool, leaf);
    size_t n = f->pool.node[leaf].rows;
    if (f->task == COPSE_CLASS)
        for (size_t k = 0; k < n; k++) d->label[k] = f->label[list[k]];
    else
        for (size_t k = 0; k < n; k++) d->y[k] = f->y[list[k]];
}

/* The particles of a chain that try a cut in this column. */
static void choose_in_column(cp_dyntree *f, cp_dyntree_desk *d, int32_t leaf, int32_t dim) {
    size_t depth = f->pool.node[leaf].depth;
    double prior = cp_dyntree_log_split(f, depth) + 2 * cp_dyntree_log_stop(f, depth + 1);
    gather_column(f, d, leaf, (size_t)dim);
    for (int32_t i = d->first[dim]; i != CP_NONE; i = d->next[i]) {
        weigh_moves(f, d, (size_t)i, prior + log_sides(f, d, leaf, &d->choice[i]), &d->choice[i]);
        decide(&d->choice[i]);
    }
    d->first[dim] = CP_NONE;
}

/* All particles whose row fell into this leaf: chained from `first` on.  They are sorted by the column of their cut, so that it
 * is gathered once for all who try it. */
static void choose_in_leaf(cp_dyntree *f, cp_dyntree_desk *d, int32_t leaf, int32_t first) {
    const cp_dyntree_node *n = &f->pool.node[leaf];
    int large = n->rows / 2 >= f->min_leaf;
    if (!++d->groups) { /* after all numbers are used up */
        memset(d->known, 0, f->dims * sizeof *d->known);
        d->groups = 1;
    }
    if (large) gather_targets(f, d, leaf);
    for (int32_t i = first, next; i != CP_NONE; i = next) {
        cp_dyntree_choice *c = &d->choice[i];
        cp_rng rng;
        next = d->next[i];
        cp_rng_init(&rng, f->seed, CP_FOR_PARTICLE, (uint32_t)i, f->learnt - 1);
        *c = (cp_dyntree_choice){.dim = CP_NONE, .u = cp_rng_unit(&rng)};
        if (large) draw_cut(f, d, leaf, &rng, c);
        if (c->dim == CP_NONE) {
            weigh_moves(f, d, (size_t)i, -INFINITY, c);
            decide(c);
            continue;
        }
        d->next[i] = d->first[c->dim];
        d->first[c->dim] = i;
    }
    for (size_t dim = 0; large && dim < f->dims; dim++)
        if (d->first[dim] != CP_NONE) choose_in_column(f, d, leaf, (int32_t)dim);
}

/* What the node above a leaf is worth as it is, and, in its memo, as one leaf. */
static void weigh_parent(cp_dyntree *f, cp_dyntree_desk *d, int32_t split) {
    cp_dyntree_node *n = &f->pool.node[split];
    if (n->seen == f->pool.sweep) return;
    n->seen = f->pool.sweep;
    cp_dyntree_settle(f, split, d->todo);
    n->memo.log =
        cp_dyntree_log_stop(f, n->depth) + cp_leaf_log_marginal(&f->leaf, cp_dyntree_pool_stat(&f->pool, split));
}

/* Particles in the same leaf form a chain that begins in its memo.  Returns the number of different leaves; *out_most: the rows
 * in the largest. */
static size_t find_groups(cp_dyntree *f, cp_dyntree_desk *d, size_t *out_most) {
    uint32_t sweep = ++f->pool.sweep;
    size_t groups = 0;
    *out_most = 0;
    for (size_t i = 0; i < f->particles; i++) {
        cp_dyntree_node *n = &f->pool.node[d->leaf[i]];
        if (d->above[i] != CP_NONE) weigh_parent(f, d, d->above[i]);
        if (n->seen != sweep) {
            n->seen = sweep;
            n->memo.next = CP_NONE;
            d->group[groups++] = d->leaf[i];
            *out_most = n->rows > *out_most ? n->rows : *out_most;
        }
        d->next[i] = n->memo.next;
        n->memo.next = (int32_t)i;
    }
    return groups;
}

/* Room for the way down any tree. */
static copse_status reserve_ways(const cp_dyntree *f, cp_dyntree_desk *d, copse_error *err) {
    size_t most = 0;
    for (size_t i = 0; i < f->particles; i++) {
        size_t height = f->pool.node[f->root[i]].height;
        most = height > most ? height : most;
    }
    CP_TRY(CP_GROW(d->path, d->cap_path, most + 2, err));
    return CP_GROW(d->todo, d->cap_todo, most + 2, err);
}

copse_status cp_dyntree_choose(cp_dyntree *f, cp_dyntree_desk *d, copse_error *err) {
    size_t most;
    CP_TRY(reserve_ways(f, d, err));
    CP_TRY(CP_GROW(d->side, d->cap_side, 2 * f->pool.width, err));
    if (d->found != f->learnt) CP_TRY(find_leaves(f, d, f->learnt - 1, err));
    d->found = f->learnt;
    size_t groups = find_groups(f, d, &most);
    CP_TRY(CP_GROW(d->column, d->cap_column, most, err));
    if (f->task == COPSE_CLASS)
        CP_TRY(CP_GROW(d->label, d->cap_label, most, err));
    else
        CP_TRY(CP_GROW(d->y, d->cap_y, most, err));
    for (size_t g = 0; g < groups; g++) choose_in_leaf(f, d, d->group[g], f->pool.node[d->group[g]].memo.next);
    return COPSE_OK;
}
