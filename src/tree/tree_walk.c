/* A walk is a chain of loads, each waiting for the one before, so a row alone leaves the processor idle.  8 rows go down
 * side by side, without a branch: which way they go is added to the child's number, and who has arrived stays, because a
 * leaf's next is itself.  After a few levels more than a balanced tree of this size has, the rows that have arrived drop
 * out and the others close ranks; then again every few levels.  So no row waits for the deepest one. */
#include "tree/tree_walk.h"

#include "base/err.h"
#include "num/kern.h"

enum {
    LANES = 8,
    ROWS = 512,       /* under way together */
    STEP = 4,         /* levels between two looks at who has arrived */
    PER_ROW = 64,     /* nodes of a tree that is fetched ahead: with more, most are not met */
    SMALL = 16 << 10, /* nodes of a tree whose leaves are fetched too: both fit into the cache beside the tree before */
    LINE = 64
};

/* What may turn up on the way: only keys; no categories; or anything. */
typedef enum terrain { KEYS, NUMBERS, ANYTHING } terrain;

#define INLINE static inline __attribute__((always_inline))

static uint32_t category_goes_right(const cp_tree *t, const cp_forest *f, const cp_tree_node *n, float x) {
    uint32_t levels = f->levels[cp_tree_dim(n)];
    if (!(x >= 0 && x < (float)levels)) return !(n->what & CP_TREE_MISSING_LEFT);
    uint32_t level = (uint32_t)x;
    return !(t->set[n->at.set + level / 32] >> level % 32 & 1);
}

/* 0 or 1; leaves are masked out, so what they hold in place of a cut does not matter. */
INLINE uint32_t goes_right(const cp_tree *t, const cp_forest *f, const cp_tree_node *n, float x, terrain kind) {
    if (kind == ANYTHING && n->what & CP_TREE_SET) return category_goes_right(t, f, n, x);
    uint32_t right = x > n->at.cut;
    right |= (uint32_t)(x != x) & ~(n->what / CP_TREE_MISSING_LEFT); /* else NaN goes left */
    return right & ~(n->what / CP_TREE_LEAF);
}

/* Rows under way: whose answer it is, its values or keys, and the node each has come to. */
typedef struct party {
    size_t n;
    uint32_t who[ROWS + LANES], at[ROWS + LANES];
    const void *x[ROWS + LANES];
} party;

/* One level down. */
INLINE size_t next_node(const cp_tree *t, const cp_forest *f, size_t at, const void *x, terrain kind) {
    if (kind == KEYS) {
        const cp_tree_step *s = &t->step[at];
        size_t way = s->way;
        return cp_kern_add_less(way >> 8, &s->cut, ((const uint32_t *)x)[way & 255]);
    }
    const cp_tree_node *n = &t->node[at];
    return (size_t)n->next + goes_right(t, f, n, ((const float *)x)[cp_tree_dim(n)], kind);
}

/* ------------------------------------------------------------------------------------------------------------ fetching */

/* Memory that will be wanted soon. */
typedef struct wanted {
    const char *from;
    size_t lines;
} wanted;

/* What the walk after this one will want.  A forest is walked tree by tree, and a block of rows touches most of each; the
 * processor brings it from afar while the rows are walking through the one before. */
typedef struct outlook {
    wanted part[2]; /* nodes, and what leaves hold */
    size_t groups;  /* of rows that are yet to set out */
} outlook;

static wanted want(const void *from, size_t bytes) {
    return (wanted){from, (bytes + LINE - 1) / LINE};
}

static outlook look_ahead(const cp_tree *t, const cp_forest *f, size_t n) {
    size_t at = ((uintptr_t)t - (uintptr_t)f->tree) / sizeof *t;
    outlook o = {.groups = (n + LANES - 1) / LANES};
    if (!f->tree || at >= f->trees || f->trees == 1) return o;
    const cp_tree *next = at + 1 < f->trees ? t + 1 : f->tree;
    if (next->nodes > PER_ROW * n) return o;
    o.part[0] = next->step ? want(next->step, next->nodes * sizeof *next->step)
                           : want(next->node, next->nodes * sizeof *next->node);
    if (next->nodes > SMALL) return o;
    o.part[1] = next->value ? want(next->value, next->leaves * sizeof *next->value)
                            : want(next->share, next->start[next->leaves] * sizeof *next->share);
    return o;
}

/* Every group of rows asks for its share, into the second-level cache: the first holds the tree they walk through.  Inlined
 * by force: compilers drop calls that only fetch. */
INLINE void fetch_share(outlook *o) {
    for (size_t p = 0; p < 2; p++) {
        wanted *w = &o->part[p];
        size_t share = (w->lines + o->groups - 1) / o->groups;
        for (size_t i = 0; i < share; i++, w->from += LINE) __builtin_prefetch(w->from, 0, 2);
        w->lines -= share;
    }
    o->groups--;
}

/* ------------------------------------------------------------------------------------------------------------- walking */

INLINE void go_down(const cp_tree *t, const cp_forest *f, party *p, size_t levels, terrain kind, outlook *o) {
    for (size_t k = p->n; k % LANES; k++) { /* company for the last few */
        p->at[k] = 0;
        p->x[k] = p->x[0];
    }
    for (size_t k = 0; k < p->n; k += LANES) {
        const void *x[LANES];
        size_t at[LANES]; /* as wide as addresses, since they are used as such */
        for (size_t j = 0; j < LANES; j++) {
            x[j] = p->x[k + j];
            at[j] = p->at[k + j];
        }
        if (o->groups) fetch_share(o);
        for (size_t l = 0; l < levels; l++)
            for (size_t j = 0; j < LANES; j++) at[j] = next_node(t, f, at[j], x[j], kind);
        for (size_t j = 0; j < LANES; j++) p->at[k + j] = (uint32_t)at[j];
    }
}

/* What is written for a row is right once it has arrived. */
INLINE void drop_arrived(const cp_tree *t, party *p, terrain kind, uint32_t *out_leaf) {
    size_t left = 0;
    for (size_t k = 0; k < p->n; k++) {
        uint32_t who = p->who[k], at = p->at[k];
        p->who[left] = who;
        p->at[left] = at;
        p->x[left] = p->x[k];
        if (kind == KEYS) {
            out_leaf[who] = t->step[at].cut - CP_TREE_STEP_LEAF;
            left += t->step[at].cut < CP_TREE_STEP_LEAF;
        } else {
            out_leaf[who] = t->node[at].at.leaf;
            left += !cp_tree_is_leaf(&t->node[at]);
        }
    }
    p->n = left;
}

static void set_out(party *p, const cp_tree_rows *rows, size_t first, size_t dims, terrain kind) {
    p->n = rows->n - first < ROWS ? rows->n - first : ROWS;
    for (size_t k = 0; k < p->n; k++) {
        size_t at = (rows->row ? rows->row[first + k] : first + k) * dims;
        p->x[k] = kind == KEYS ? (const void *)(rows->key + at) : rows->x + at;
        p->who[k] = (uint32_t)k;
        p->at[k] = 0;
    }
}

INLINE void walk(const cp_tree *t, const cp_forest *f, const cp_tree_rows *rows, terrain kind, uint32_t *out_leaf) {
    size_t balanced = 1;
    while (t->leaves >> balanced > 1) balanced++;
    outlook o = look_ahead(t, f, rows->n);
    for (size_t first = 0; first < rows->n; first += ROWS) {
        party p;
        set_out(&p, rows, first, f->dims, kind);
        for (size_t levels = balanced + STEP; p.n; levels = STEP) {
            go_down(t, f, &p, levels, kind, &o);
            drop_arrived(t, &p, kind, out_leaf + first);
        }
    }
}

void cp_tree_walk_rows(const cp_tree *t, const cp_forest *f, const cp_tree_rows *rows, uint32_t *out_leaf) {
    if (rows->key && t->step)
        walk(t, f, rows, KEYS, out_leaf);
    else if (cp_tree_plain(t))
        walk(t, f, rows, NUMBERS, out_leaf);
    else
        walk(t, f, rows, ANYTHING, out_leaf);
}

void cp_tree_walk(const cp_tree *t, const cp_forest *f, const float *x, size_t n, uint32_t *out_leaf) {
    cp_tree_walk_rows(t, f, &(cp_tree_rows){.x = x, .n = n}, out_leaf);
}
