/* A walk is a chain of loads, each waiting for the one before, so a row alone leaves the processor idle.  8 rows go
 * down side by side, without a branch: which way they go is added to the child's number, and who has arrived stays,
 * because a leaf's next is itself.  After a few levels more than a balanced tree of this size has, those that have not
 * arrived fall behind the group, and walk on a few levels as soon as there are 8 of them, while what they ask for is
 * still in the cache; then again.  So no row waits for the deepest one.
 *
 * Rows that set out as a key block have their keys at fixed distances of each other: one register says where they all
 * are, and a step takes six instructions. */
#include "tree/tree_walk.h"

#include <string.h>

#include "base/fail.h"
#include "kernel/key_block.h"

enum {
    LANES = CP_KEY_BLOCK_ROWS,
    BEYOND = 4,       /* levels below those of a balanced tree before the first look at who has arrived */
    STRIDE = 3,       /* levels taken at a time, and between two looks */
    PER_ROW = 64,     /* nodes of a tree that is fetched ahead: with more, most are not met */
    SMALL = 16 << 10, /* nodes of a tree whose leaves are fetched too: both fit into the cache beside the tree before */
    LINE = 64
};

/* Who walks, and what may turn up on the way: only keys, of a whole key block, of some of its rows, or of rows in a
 * tree of near columns or of any; no categories; or anything. */
typedef enum terrain { WHOLE_GANG, GANGS, NEAR_KEYS, KEYS, NUMBERS, ANYTHING } terrain;

#define INLINE static inline __attribute__((always_inline))

static uint32_t category_goes_right(const cp_tree *t, const cp_forest *f, const cp_tree_node *n, float x) {
    uint32_t levels = f->levels[cp_tree_dim(n)];
    if (!(x >= 0 && x < (float)levels)) return !(n->what & CP_TREE_MISSING_LEFT);
    uint32_t level = (uint32_t)x;
    return !(t->set[n->at.set + level / 32] >> level % 32 & 1);
}

/* 0 or 1; leaves are masked out, so what they hold in place of a cut does not matter. */
INLINE uint32_t goes_right(const cp_tree *t, const cp_forest *f, const cp_tree_node *n, float x, terrain kind) {
    if (kind == ANYTHING && n->what & CP_TREE_CATEGORY) return category_goes_right(t, f, n, x);
    uint32_t right = x > n->at.cut;
    right |= (uint32_t)(x != x) & ~(n->what / CP_TREE_MISSING_LEFT); /* else NaN goes left */
    return right & ~(n->what / CP_TREE_LEAF);
}

/* Eight rows side by side: whose answers theirs are, their values or keys, and the nodes they have come to. */
typedef struct group {
    size_t who[LANES];
    const void *x[LANES];
    size_t at[LANES]; /* as wide as addresses, since they are used as such */
} group;

/* Of a whole key block the first row tells the others': there are no registers for all. */
INLINE size_t who_of(const group *g, size_t j, terrain kind) {
    return kind == WHOLE_GANG ? g->who[0] + j : g->who[j];
}

INLINE const void *x_of(const group *g, size_t j, terrain kind) {
    return kind == WHOLE_GANG ? (const uint32_t *)g->x[0] + j : g->x[j];
}

/* Rows that have fallen behind their groups. */
typedef struct stragglers {
    size_t n;
    uint32_t who[2 * LANES], at[2 * LANES];
    const void *x[2 * LANES];
} stragglers;

/* The key that a step asks for. */
INLINE uint32_t key_of(const void *x, size_t way, terrain kind) {
    const size_t bytes = kind <= GANGS  ? sizeof(uint32_t) * LANES / CP_TREE_STEP_UNIT
                         : kind == KEYS ? sizeof(uint32_t)
                                        : sizeof(uint32_t) / CP_TREE_STEP_UNIT;
    uint32_t key;
    memcpy(&key, (const char *)x + (way & 255) * bytes, sizeof key);
    return key;
}

/* One level down, by keys. */
INLINE size_t next_step(const cp_tree_step *step, size_t at, const void *x, terrain kind) {
    size_t way = step[at].way;
    return cp_walk_step_add(way >> 8, step, at, key_of(x, way, kind));
}

/* One level down. */
INLINE size_t next_node(const cp_tree *t, const cp_forest *f, size_t at, const void *x, terrain kind) {
    const cp_tree_node *n = &t->node[at];
    return (size_t)n->next + goes_right(t, f, n, ((const float *)x)[cp_tree_dim(n)], kind);
}

/* --------------------------------------------------------------------------------------------------------- fetching */

/* Memory that will be wanted soon, and how much of it every group of rows asks for. */
typedef struct wanted {
    const char *from;
    size_t lines, share;
} wanted;

/* What the walk after this one will want.  A forest is walked tree by tree, and a block of rows touches most of each;
 * the processor brings it from afar while the rows are walking through the one before. */
typedef struct outlook {
    wanted part[2]; /* nodes, and what leaves hold */
} outlook;

static wanted want(const void *from, size_t bytes, size_t groups) {
    size_t lines = (bytes + LINE - 1) / LINE;
    return (wanted){from, lines, (lines + groups - 1) / groups};
}

static outlook look_ahead(const cp_tree *t, const cp_forest *f, size_t n) {
    size_t at = ((uintptr_t)t - (uintptr_t)f->tree) / sizeof *t, groups = n / LANES;
    outlook o = {0};
    if (!groups || !f->tree || at >= f->trees || f->trees == 1) return o;
    const cp_tree *next = at + 1 < f->trees ? t + 1 : f->tree;
    if (next->nodes > PER_ROW * n) return o;
    o.part[0] = next->step ? want(next->step, next->nodes * sizeof *next->step, groups)
                           : want(next->node, next->nodes * sizeof *next->node, groups);
    if (next->nodes > SMALL) return o;
    o.part[1] = next->gauss   ? want(next->gauss, next->leaves * sizeof *next->gauss, groups)
                : next->value ? want(next->value, next->leaves * sizeof *next->value, groups)
                              : want(next->share, next->start[next->leaves] * sizeof *next->share, groups);
    return o;
}

/* Into the second-level cache: the first holds the tree they walk through.  Inlined by force: compilers drop calls that
 * only fetch. */
INLINE void fetch_share(outlook *o) {
    for (size_t p = 0; p < 2; p++) {
        wanted *w = &o->part[p];
        if (w->share > w->lines) w->share = w->lines;
        w->lines -= w->share;
        for (size_t k = w->share; k > 0; k--, w->from += LINE) __builtin_prefetch(w->from, 0, 2);
    }
}

/* A key block that is next to set out: its rows meet most columns, in an order that no processor foresees.  Lines by
 * fours: some are already those of the key block after it. */
INLINE void fetch_gang(const uint32_t *key_block, size_t dims) {
    const char *from = (const char *)key_block, *end = (const char *)(key_block + LANES * dims);
    for (; from < end; from += 4 * LINE) {
        __builtin_prefetch(from);
        __builtin_prefetch(from + LINE);
        __builtin_prefetch(from + 2 * LINE);
        __builtin_prefetch(from + 3 * LINE);
    }
}

/* ---------------------------------------------------------------------------------------------------------- walking */

INLINE void go_down(const cp_tree *t, const cp_forest *f, group *g, size_t levels, terrain kind) {
    const cp_tree_step *step = t->step;
    for (size_t l = 0; l < levels; l += STRIDE) /* unrolled, registers need not be shuffled at every level */
        for (size_t u = 0; u < STRIDE; u++)
            for (size_t j = 0; j < LANES; j++) {
                const void *x = x_of(g, j, kind);
                g->at[j] = kind <= KEYS ? next_step(step, g->at[j], x, kind) : next_node(t, f, g->at[j], x, kind);
            }
}

/* Leaf numbers are right for rows that have arrived; the others fall behind. */
INLINE void arrive(const cp_tree *t, const group *g, terrain kind, stragglers *s, uint32_t *out_leaf) {
    const cp_tree_step *step = t->step;
    size_t n = s->n;
    for (size_t j = 0; j < LANES; j++) {
        size_t at = g->at[j], who = who_of(g, j, kind);
        s->who[n] = (uint32_t)who;
        s->at[n] = (uint32_t)at;
        s->x[n] = x_of(g, j, kind);
        if (kind <= KEYS) {
            n += __builtin_sub_overflow(step[at].cut, CP_TREE_STEP_LEAF, &out_leaf[who]); /* below: no leaf */
        } else {
            n += !cp_tree_is_leaf(&t->node[at]);
            out_leaf[who] = t->node[at].at.leaf;
        }
    }
    s->n = n;
}

static void fall_behind(stragglers *s, uint32_t who, uint32_t at, const void *x) {
    s->who[s->n] = who;
    s->at[s->n] = at;
    s->x[s->n++] = x;
}

/* The last eight of them go on as a group; again, until there are fewer than `enough`.  Kept apart from the loop that
 * calls it, which needs all registers. */
static __attribute__((noinline)) void walk_on(const cp_tree *t, const cp_forest *f, stragglers *s, size_t enough,
                                              terrain kind, uint32_t *out_leaf) {
    while (s->n >= enough) {
        group g;
        while (s->n < LANES) fall_behind(s, s->who[0], s->at[0], s->x[0]); /* company for the last few */
        s->n -= LANES;
        for (size_t j = 0; j < LANES; j++) {
            g.who[j] = s->who[s->n + j];
            g.at[j] = s->at[s->n + j];
            g.x[j] = s->x[s->n + j];
        }
        go_down(t, f, &g, STRIDE, kind);
        arrive(t, &g, kind, s, out_leaf);
    }
}

/* The values or keys of the i-th row asked for. */
INLINE const void *row_of(const cp_tree_rows *rows, size_t i, size_t dims, terrain kind) {
    if (kind <= GANGS) return rows->key_block + (i - i % LANES) * dims + i % LANES;
    size_t at = (rows->row ? rows->row[i] : i) * dims;
    return kind <= KEYS ? (const void *)(rows->key + at) : rows->x + at;
}

INLINE void walk(const cp_tree *t, const cp_forest *f, const cp_tree_rows *rows, terrain kind, uint32_t *out_leaf) {
    const terrain whole = kind == GANGS ? WHOLE_GANG : kind;
    size_t levels = 1 + BEYOND, i = 0;
    while (t->leaves >> (levels - BEYOND) > 1) levels++;
    outlook o = look_ahead(t, f, rows->n);
    stragglers s;
    s.n = 0;
    for (; rows->n - i >= LANES; i += LANES) {
        group g = {0};
        for (size_t j = 0; j < LANES; j++) {
            g.who[j] = i + j;
            g.x[j] = row_of(rows, i + j, f->dims, kind);
        }
        fetch_share(&o);
        if (kind == GANGS && rows->n - i >= 2 * LANES) fetch_gang(rows->key_block + (i + LANES) * f->dims, f->dims);
        go_down(t, f, &g, levels, whole);
        arrive(t, &g, whole, &s, out_leaf);
        walk_on(t, f, &s, LANES, kind, out_leaf);
    }
    for (; i < rows->n; i++) fall_behind(&s, (uint32_t)i, 0, row_of(rows, i, f->dims, kind)); /* too few for a group */
    walk_on(t, f, &s, 1, kind, out_leaf);
}

void cp_tree_walk_rows(const cp_tree *t, const cp_forest *f, const cp_tree_rows *rows, uint32_t *out_leaf) {
    if (rows->key_block && !rows->row && t->step && t->unit == CP_TREE_STEP_UNIT)
        walk(t, f, rows, GANGS, out_leaf);
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
