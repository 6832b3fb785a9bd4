/* A walk is a chain of loads, each waiting for the one before, so one row alone leaves the processor idle.  8 rows go
 * down side by side, without a branch: the outcome of the test is added to the child's number, and a row that has
 * arrived stays, because a leaf's next is itself.  A group takes a few levels more than a balanced tree of this size
 * has.  Rows that have not arrived then are stragglers: as soon as there are 8 of them, they walk on for a few levels
 * as a group, while the nodes they need are still in the cache; and so on.  So no row waits for the deepest one.
 *
 * The rows of a key block have their keys at fixed distances from each other: one register addresses them all, and a
 * step takes six instructions. */
#include "tree/tree_walk.h"

#include <string.h>

#include "base/fail.h"
#include "kernel/key_block.h"

enum {
    LANES = CP_KEY_BLOCK_ROWS,
    BEYOND = 4,       /* levels more than a balanced tree has, before arrivals are checked */
    STRIDE = 3,       /* levels taken at a time, and between two checks */
    PER_ROW = 64,     /* a tree of more nodes per row is not prefetched: most of its nodes are not visited */
    SMALL = 16 << 10, /* the leaves of a tree of at most so many nodes are prefetched too: both fit the cache */
    LINE = 64
};

/* How rows are given, and what splits may occur. */
typedef enum walk_kind {
    WHOLE_BLOCK, /* keys: all rows of one key block */
    KEY_BLOCKS,  /* keys: rows of key blocks */
    NEAR_KEYS,   /* keys, in a tree whose unit is CP_TREE_STEP_UNIT */
    KEYS,        /* keys, in a tree whose unit is 1 */
    NUMBERS,     /* values; no categories */
    ANYTHING     /* values */
} walk_kind;

#define INLINE static inline __attribute__((always_inline))

static uint32_t category_goes_right(const cp_tree *t, const cp_forest *f, const cp_tree_node *n, float x) {
    uint32_t levels = f->levels[cp_tree_dim(n)];
    if (!(x >= 0 && x < (float)levels)) return !(n->what & CP_TREE_MISSING_LEFT);
    uint32_t level = (uint32_t)x;
    return !(t->set[n->at.set + level / 32] >> level % 32 & 1);
}

/* 0 or 1.  Leaves always give 0: what they hold in place of a cut does not matter. */
INLINE uint32_t goes_right(const cp_tree *t, const cp_forest *f, const cp_tree_node *n, float x, walk_kind kind) {
    if (kind == ANYTHING && n->what & CP_TREE_CATEGORY) return category_goes_right(t, f, n, x);
    uint32_t right = x > n->at.cut;
    right |= (uint32_t)(x != x) & ~(n->what / CP_TREE_MISSING_LEFT); /* else NaN goes left */
    return right & ~(n->what / CP_TREE_LEAF);
}

/* Eight rows side by side. */
typedef struct group {
    size_t row[LANES];    /* where their leaves go in out_leaf */
    const void *x[LANES]; /* their values or keys */
    size_t at[LANES];     /* the nodes they have reached; as wide as an address, because it is used in addresses */
} group;

/* In a whole key block only the first row is stored, and the others follow from it: there are no registers for all. */
INLINE size_t index_of(const group *g, size_t j, walk_kind kind) {
    return kind == WHOLE_BLOCK ? g->row[0] + j : g->row[j];
}

INLINE const void *x_of(const group *g, size_t j, walk_kind kind) {
    return kind == WHOLE_BLOCK ? (const uint32_t *)g->x[0] + j : g->x[j];
}

/* Rows that have not arrived when their group stopped. */
typedef struct stragglers {
    size_t n;
    uint32_t row[2 * LANES], at[2 * LANES];
    const void *x[2 * LANES];
} stragglers;

/* The key that a step compares. */
INLINE uint32_t key_of(const void *x, size_t way, walk_kind kind) {
    const size_t bytes = kind <= KEY_BLOCKS ? sizeof(uint32_t) * LANES / CP_TREE_STEP_UNIT
                         : kind == KEYS     ? sizeof(uint32_t)
                                            : sizeof(uint32_t) / CP_TREE_STEP_UNIT;
    uint32_t key;
    memcpy(&key, (const char *)x + (way & 255) * bytes, sizeof key);
    return key;
}

/* One level down, by keys. */
INLINE size_t next_step(const cp_tree_step *step, size_t at, const void *x, walk_kind kind) {
    size_t way = step[at].way;
    return cp_walk_step_add(way >> 8, step, at, key_of(x, way, kind));
}

/* One level down. */
INLINE size_t next_node(const cp_tree *t, const cp_forest *f, size_t at, const void *x, walk_kind kind) {
    const cp_tree_node *n = &t->node[at];
    return (size_t)n->next + goes_right(t, f, n, ((const float *)x)[cp_tree_dim(n)], kind);
}

/* ------------------------------------------------------------------------------------------------------ prefetching */

/* Memory to prefetch: `lines` cache lines in all, `share` of them for each group of rows. */
typedef struct region {
    const char *from;
    size_t lines, share;
} region;

/* The memory of the next tree.  A forest is walked tree by tree, and a block of rows touches most nodes of each: the
 * next tree is prefetched while the rows walk down this one. */
typedef struct next_tree {
    region region[2]; /* its nodes, and the contents of its leaves */
} next_tree;

static region region_of(const void *from, size_t bytes, size_t groups) {
    size_t lines = (bytes + LINE - 1) / LINE;
    return (region){from, lines, (lines + groups - 1) / groups};
}

static next_tree find_next(const cp_tree *t, const cp_forest *f, size_t n) {
    size_t at = ((uintptr_t)t - (uintptr_t)f->tree) / sizeof *t, groups = n / LANES;
    next_tree o = {0};
    if (!groups || !f->tree || at >= f->trees || f->trees == 1) return o;
    const cp_tree *next = at + 1 < f->trees ? t + 1 : f->tree;
    if (next->nodes > PER_ROW * n) return o;
    o.region[0] = next->step ? region_of(next->step, next->nodes * sizeof *next->step, groups)
                             : region_of(next->node, next->nodes * sizeof *next->node, groups);
    if (next->nodes > SMALL) return o;
    o.region[1] = next->gauss ? region_of(next->gauss, next->leaves * sizeof *next->gauss, groups)
                  : next->value
                      ? region_of(next->value, next->leaves * sizeof *next->value, groups)
                      : region_of(next->class_weight, next->start[next->leaves] * sizeof *next->class_weight, groups);
    return o;
}

/* Prefetches into the second-level cache: the first level holds the tree that the rows walk down.  Must be inlined:
 * compilers drop calls that only prefetch. */
INLINE void prefetch_share(next_tree *o) {
    for (size_t p = 0; p < 2; p++) {
        region *w = &o->region[p];
        if (w->share > w->lines) w->share = w->lines;
        w->lines -= w->share;
        for (size_t k = w->share; k > 0; k--, w->from += LINE) __builtin_prefetch(w->from, 0, 2);
    }
}

/* Prefetches the next key block: its rows read most columns, in an order that no processor predicts.  Four lines at a
 * time: some may belong to the key block after it. */
INLINE void prefetch_block(const uint32_t *key_block, size_t dims) {
    const char *from = (const char *)key_block, *end = (const char *)(key_block + LANES * dims);
    for (; from < end; from += (size_t)4 * LINE) {
        __builtin_prefetch(from);
        __builtin_prefetch(from + LINE);
        __builtin_prefetch(from + (size_t)2 * LINE);
        __builtin_prefetch(from + (size_t)3 * LINE);
    }
}

/* ---------------------------------------------------------------------------------------------------------- walking */

INLINE void go_down(const cp_tree *t, const cp_forest *f, group *g, size_t levels, walk_kind kind) {
    const cp_tree_step *step = t->step;
    for (size_t l = 0; l < levels; l += STRIDE) /* unrolled, so that registers are not moved at every level */
        for (size_t u = 0; u < STRIDE; u++)
            for (size_t j = 0; j < LANES; j++) {
                const void *x = x_of(g, j, kind);
                g->at[j] = kind <= KEYS ? next_step(step, g->at[j], x, kind) : next_node(t, f, g->at[j], x, kind);
            }
}

/* Writes leaf numbers, which are right for rows that have arrived; the others become stragglers. */
INLINE void arrive(const cp_tree *t, const group *g, walk_kind kind, stragglers *s, uint32_t *out_leaf) {
    const cp_tree_step *step = t->step;
    size_t n = s->n;
    for (size_t j = 0; j < LANES; j++) {
        size_t at = g->at[j], row = index_of(g, j, kind);
        s->row[n] = (uint32_t)row;
        s->at[n] = (uint32_t)at;
        s->x[n] = x_of(g, j, kind);
        if (kind <= KEYS) {
            n += __builtin_sub_overflow(step[at].cut, CP_TREE_STEP_LEAF, &out_leaf[row]); /* below: no leaf */
        } else {
            n += !cp_tree_is_leaf(&t->node[at]);
            out_leaf[row] = t->node[at].at.leaf;
        }
    }
    s->n = n;
}

static void add_straggler(stragglers *s, uint32_t row, uint32_t at, const void *x) {
    s->row[s->n] = row;
    s->at[s->n] = at;
    s->x[s->n++] = x;
}

/* The last eight stragglers walk on as a group; again, until there are fewer than `enough`.  Not inlined into the loop
 * that calls it, which needs all registers. */
static __attribute__((noinline)) void walk_on(const cp_tree *t, const cp_forest *f, stragglers *s, size_t enough,
                                              walk_kind kind, uint32_t *out_leaf) {
    while (s->n >= enough) {
        group g;
        while (s->n < LANES) add_straggler(s, s->row[0], s->at[0], s->x[0]); /* fills up the last group */
        s->n -= LANES;
        for (size_t j = 0; j < LANES; j++) {
            g.row[j] = s->row[s->n + j];
            g.at[j] = s->at[s->n + j];
            g.x[j] = s->x[s->n + j];
        }
        go_down(t, f, &g, STRIDE, kind);
        arrive(t, &g, kind, s, out_leaf);
    }
}

/* The values or keys of the i-th row that walks. */
INLINE const void *row_of(const cp_tree_rows *rows, size_t i, size_t dims, walk_kind kind) {
    if (kind <= KEY_BLOCKS) return rows->key_block + (i - i % LANES) * dims + i % LANES;
    size_t at = (rows->row ? rows->row[i] : i) * dims;
    return kind <= KEYS ? (const void *)(rows->key + at) : rows->x + at;
}

INLINE void walk(const cp_tree *t, const cp_forest *f, const cp_tree_rows *rows, walk_kind kind, uint32_t *out_leaf) {
    const walk_kind whole = kind == KEY_BLOCKS ? WHOLE_BLOCK : kind;
    size_t levels = 1 + BEYOND, i = 0;
    while (t->leaves >> (levels - BEYOND) > 1) levels++;
    next_tree o = find_next(t, f, rows->n);
    stragglers s;
    s.n = 0;
    for (; rows->n - i >= LANES; i += LANES) {
        group g = {0};
        for (size_t j = 0; j < LANES; j++) {
            g.row[j] = i + j;
            g.x[j] = row_of(rows, i + j, f->dims, kind);
        }
        prefetch_share(&o);
        if (kind == KEY_BLOCKS && rows->n - i >= (size_t)2 * LANES)
            prefetch_block(rows->key_block + (i + LANES) * f->dims, f->dims);
        go_down(t, f, &g, levels, whole);
        arrive(t, &g, whole, &s, out_leaf);
        walk_on(t, f, &s, LANES, kind, out_leaf);
    }
    for (; i < rows->n; i++)
        add_straggler(&s, (uint32_t)i, 0, row_of(rows, i, f->dims, kind)); /* too few for a group */
    walk_on(t, f, &s, 1, kind, out_leaf);
}

void cp_tree_walk_rows(const cp_tree *t, const cp_forest *f, const cp_tree_rows *rows, uint32_t *out_leaf) {
    if (rows->key_block && !rows->row && t->step && t->unit == CP_TREE_STEP_UNIT)
        walk(t, f, rows, KEY_BLOCKS, out_leaf);
    else if (rows->key && t->step && t->unit == CP_TREE_STEP_UNIT)
        walk(t, f, rows, NEAR_KEYS, out_leaf);
    else if (rows->key && t->step)
        walk(t, f, rows, KEYS, out_leaf);
    else if (cp_tree_is_numeric(t))
        walk(t, f, rows, NUMBERS, out_leaf);
    else
        walk(t, f, rows, ANYTHING, out_leaf);
}

int cp_tree_walk_takes_keys(const cp_forest *f) {
    for (size_t m = 0; m < f->trees; m++)
        if (!f->tree[m].step) return 0;
    return f->dims <= 256;
}

int cp_tree_walk_takes_key_blocks(const cp_forest *f) {
    return f->dims <= CP_KEY_BLOCK_DIMS && cp_tree_walk_takes_keys(f);
}

void cp_tree_walk(const cp_tree *t, const cp_forest *f, const float *x, size_t n, uint32_t *out_leaf) {
    cp_tree_walk_rows(t, f, &(cp_tree_rows){.x = x, .n = n}, out_leaf);
}
