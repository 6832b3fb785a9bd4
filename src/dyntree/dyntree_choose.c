#include "dyntree/dyntree_choose.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/sort.h"
#include "num/math.h"

static void gather_column(const cp_dyntree *f, cp_dyntree_step_scratch *d, int32_t leaf, size_t dim) {
    const uint32_t *list = cp_dyntree_pool_list(&f->pool, leaf);
    size_t n = f->pool.node[leaf].rows;
    for (size_t k = 0; k < n; k++) d->column[k] = f->x[list[k] * f->dims + dim];
}

/* The k-th smallest, from 0 on, by Hoare's quickselect; reorders v. */
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

/* The m-th smallest and the m-th largest for small m, by two sorted lists: once they are full, few values enter. */
enum { FEW_ENDS = 8 };
static void find_ends(const float *v, size_t n, size_t m, float *out_low, float *out_high) {
    float low[FEW_ENDS], high[FEW_ENDS];
    for (size_t k = 0; k < m; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
    }
    for (size_t i = 0; i < n; i++) {
        size_t k;
        if (v[i] < low[m - 1]) {
            for (k = m - 1; k > 0 && low[k - 1] > v[i]; k--) low[k] = low[k - 1];
            low[k] = v[i];
        }
        if (v[i] > high[m - 1]) {
            for (k = m - 1; k > 0 && high[k - 1] < v[i]; k--) high[k] = high[k - 1];
            high[k] = v[i];
        }
    }
    *out_low = low[m - 1];
    *out_high = high[m - 1];
}

/* The range of cuts in a column that leave min_leaf rows on both sides: low <= cut < high. */
static void find_range(const cp_dyntree *f, cp_dyntree_step_scratch *d, int32_t leaf, size_t dim) {
    size_t n = f->pool.node[leaf].rows, m = f->min_leaf;
    if (d->known[dim] == d->groups) return;
    d->known[dim] = d->groups;
    gather_column(f, d, leaf, dim);
    if (m <= FEW_ENDS) {
        find_ends(d->column, n, m, &d->low[dim], &d->high[dim]);
        return;
    }
    d->low[dim] = nth_smallest(d->column, n, m - 1);
    d->high[dim] = nth_smallest(d->column, n, n - m);
}

static int can_cut(const cp_dyntree *f, cp_dyntree_step_scratch *d, int32_t leaf, size_t dim) {
    find_range(f, d, leaf, dim);
    return d->low[dim] < d->high[dim];
}

/* Uniform among the columns that can be cut: draws from all columns until one can be cut, and after some tries from a
 * list of those that can. */
static int32_t draw_column(const cp_dyntree *f, cp_dyntree_step_scratch *d, int32_t leaf, cp_rng *rng) {
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

static void draw_cut(const cp_dyntree *f, cp_dyntree_step_scratch *d, int32_t leaf, cp_rng *rng, cp_dyntree_choice *c) {
    c->dim = draw_column(f, d, leaf, rng);
    if (c->dim == CP_NONE) return;
    double low = (double)d->low[c->dim], high = (double)d->high[c->dim];
    c->cut = (float)(low + cp_rng_unit(rng) * (high - low));
    if (c->cut >= d->high[c->dim]) c->cut = d->low[c->dim]; /* rounding can reach high */
}

/* The sum of the log marginal likelihoods of the two sides of a cut; d->column holds the column. */
static double log_sides(const cp_dyntree *f, cp_dyntree_step_scratch *d, int32_t leaf, cp_dyntree_choice *c) {
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

/* The trees after the three moves differ only in the parent of the leaf, or in the leaf if it is the root. */
static void weigh_moves(const cp_dyntree *f, const cp_dyntree_step_scratch *d, size_t particle, double log_grow,
                        cp_dyntree_choice *c) {
    const cp_dyntree_node *leaf = &f->pool.node[d->leaf[particle]];
    int32_t up = d->above[particle];
    c->log_w[CP_DYNTREE_PRUNE] = up == CP_NONE ? -INFINITY : f->pool.node[up].memo.log;
    c->log_w[CP_DYNTREE_STAY] = up == CP_NONE ? leaf->log_tree : f->pool.node[up].log_tree;
    c->log_w[CP_DYNTREE_GROW] = c->log_w[CP_DYNTREE_STAY] - leaf->log_tree + log_grow;
}

static void decide(cp_dyntree_choice *c) {
    double top = fmax(fmax(c->log_w[0], c->log_w[1]), c->log_w[2]), w[CP_DYNTREE_MOVES], sum = 0;
    for (int k = 0; k < CP_DYNTREE_MOVES; k++) sum += w[k] = cp_math_exp(c->log_w[k] - top);
    double at = c->u * sum;
    c->move = at < w[CP_DYNTREE_STAY]                         ? CP_DYNTREE_STAY
              : at < w[CP_DYNTREE_STAY] + w[CP_DYNTREE_PRUNE] ? CP_DYNTREE_PRUNE
              : w[CP_DYNTREE_GROW] > 0                        ? CP_DYNTREE_GROW
                                                              : CP_DYNTREE_STAY;
}

static void gather_targets(const cp_dyntree *f, cp_dyntree_step_scratch *d, int32_t leaf) {
    const uint32_t *list = cp_dyntree_pool_list(&f->pool, leaf);
    size_t n = f->pool.node[leaf].rows;
    if (f->task == COPSE_CLASS)
        for (size_t k = 0; k < n; k++) d->label[k] = f->label[list[k]];
    else
        for (size_t k = 0; k < n; k++) d->y[k] = f->y[list[k]];
}

/* Sorts the rows of the leaf by d->column, ties by their place in the list: into d->key. */
static void sort_rows(cp_dyntree_step_scratch *d, size_t n) {
    enum { FEW = 64 };
    for (size_t k = 0; k < n; k++) d->key[k] = (uint64_t)cp_sort_from_float(d->column[k]) << 32 | k;
    if (n > FEW) {
        cp_sort_wide(d->key, n, d->key + n);
        return;
    }
    for (size_t k = 1; k < n; k++) {
        uint64_t key = d->key[k];
        size_t at = k;
        for (; at > 0 && d->key[at - 1] > key; at--) d->key[at] = d->key[at - 1];
        d->key[at] = key;
    }
}

/* How many of the sorted rows are left of a cut: between min_leaf and n - min_leaf. */
static uint32_t count_below(const cp_dyntree_step_scratch *d, size_t n, float cut) {
    uint64_t end = (uint64_t)cp_sort_from_float(cut) << 32 | UINT32_MAX;
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->key[middle] <= end)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

/* Many cuts of one column lie in few gaps between values: rows are sorted, and the likelihood of each gap is computed
 * once.  d->log_gap[k] is that of the gap behind k rows. */
static void weigh_gaps(const cp_dyntree *f, cp_dyntree_step_scratch *d, int32_t leaf, int32_t first) {
    const uint32_t *list = cp_dyntree_pool_list(&f->pool, leaf);
    size_t n = f->pool.node[leaf].rows, gaps = 0;
    sort_rows(d, n);
    for (size_t k = 0; k < n; k++) {
        d->order[k] = list[(uint32_t)d->key[k]];
        d->wanted[k] = 0;
    }
    for (int32_t i = first; i != CP_NONE; i = d->next[i])
        d->wanted[d->choice[i].left = count_below(d, n, d->choice[i].cut)] = 1;
    for (size_t k = 0; k < n; k++)
        if (d->wanted[k]) d->end[gaps++] = (uint32_t)k;
    cp_leaf_scan(&f->leaf, &(cp_leaf_cuts){d->order, d->end, gaps}, cp_dyntree_pool_stat(&f->pool, leaf), d->side,
                 d->gap);
    for (size_t g = 0; g < gaps; g++) d->log_gap[d->end[g]] = d->gap[g];
}

/* Draws the moves of the particles of a list that try a cut in this column. */
static void choose_in_column(cp_dyntree *f, cp_dyntree_step_scratch *d, int32_t leaf, int32_t dim) {
    enum { MANY = 4 };
    size_t depth = f->pool.node[leaf].depth, tries = 0;
    double prior = cp_tree_prior_table_split(&f->prior, depth) + 2 * cp_tree_prior_table_stop(&f->prior, depth + 1);
    for (int32_t i = d->first[dim]; i != CP_NONE && tries < MANY; i = d->next[i]) tries++;
    gather_column(f, d, leaf, (size_t)dim);
    if (tries == MANY) weigh_gaps(f, d, leaf, d->first[dim]);
    for (int32_t i = d->first[dim]; i != CP_NONE; i = d->next[i]) {
        cp_dyntree_choice *c = &d->choice[i];
        weigh_moves(f, d, (size_t)i, prior + (tries == MANY ? d->log_gap[c->left] : log_sides(f, d, leaf, c)), c);
        decide(c);
    }
    d->first[dim] = CP_NONE;
}

/* Draws the moves of all particles whose leaf this is: the list that begins with `first`.  They are grouped by the
 * column of their cut, so that a column is gathered once. */
static void choose_in_leaf(cp_dyntree *f, cp_dyntree_step_scratch *d, int32_t leaf, int32_t first) {
    const cp_dyntree_node *n = &f->pool.node[leaf];
    int large = n->rows / 2 >= f->min_leaf;
    if (!++d->groups) { /* the counter has wrapped around */
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

/* Refreshes the parent of a leaf; its memo gets its log_tree if it were pruned to a leaf. */
static void weigh_parent(cp_dyntree *f, cp_dyntree_step_scratch *d, int32_t split) {
    cp_dyntree_node *n = &f->pool.node[split];
    if (n->seen == f->pool.sweep) return;
    n->seen = f->pool.sweep;
    cp_dyntree_refresh(f, split, d->todo);
    n->memo.log = cp_tree_prior_table_stop(&f->prior, n->depth) +
                  cp_leaf_log_marginal(&f->leaf, cp_dyntree_pool_stat(&f->pool, split));
}

/* Lists the particles of each leaf; the list begins in the leaf's memo.  Returns the number of different leaves;
 * *out_most: the rows of the largest. */
static size_t find_groups(cp_dyntree *f, cp_dyntree_step_scratch *d, size_t *out_most) {
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

/* Room for a path in any tree. */
static copse_status reserve_path(const cp_dyntree *f, cp_dyntree_step_scratch *d, copse_error *err) {
    size_t most = 0;
    for (size_t i = 0; i < f->particles; i++) {
        size_t height = f->pool.node[f->root[i]].height;
        most = height > most ? height : most;
    }
    CP_TRY(CP_GROW(d->path, d->cap_path, most + 2, err));
    return CP_GROW(d->todo, d->cap_todo, most + 2, err);
}

/* Room for n rows of a leaf. */
static copse_status reserve_rows(cp_dyntree_step_scratch *d, size_t n, copse_error *err) {
    cp_arena *a = &d->rows;
    if (n <= d->cap_rows) return COPSE_OK;
    d->cap_rows = 0;
    cp_arena_reset(a);
    n *= 2;
    if (!(d->column = cp_arena_get(a, n, sizeof *d->column)) || !(d->label = cp_arena_get(a, n, sizeof *d->label)) ||
        !(d->y = cp_arena_get(a, n, sizeof *d->y)) || !(d->key = cp_arena_get(a, 2 * n, sizeof *d->key)) ||
        !(d->order = cp_arena_get(a, n, sizeof *d->order)) || !(d->end = cp_arena_get(a, n, sizeof *d->end)) ||
        !(d->wanted = cp_arena_get(a, n, sizeof *d->wanted)) || !(d->gap = cp_arena_get(a, n, sizeof *d->gap)) ||
        !(d->log_gap = cp_arena_get(a, n, sizeof *d->log_gap)))
        return cp_fail_memory(err);
    d->cap_rows = n;
    return COPSE_OK;
}

copse_status cp_dyntree_choose(cp_dyntree *f, cp_dyntree_step_scratch *d, copse_error *err) {
    size_t most;
    CP_TRY(reserve_path(f, d, err));
    CP_TRY(CP_GROW(d->side, d->cap_side, 2 * f->pool.width, err));
    if (d->found != f->learnt) CP_TRY(cp_dyntree_step_find_leaves(f, d, f->learnt - 1, err));
    d->found = f->learnt;
    size_t groups = find_groups(f, d, &most);
    CP_TRY(reserve_rows(d, most, err));
    for (size_t g = 0; g < groups; g++) choose_in_leaf(f, d, d->group[g], f->pool.node[d->group[g]].memo.next);
    return COPSE_OK;
}
