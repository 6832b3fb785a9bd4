/* A walk is a chain of loads, each waiting for the one before, so a row alone leaves the processor idle.  8 rows go down
 * side by side, without a branch: which way they go is added to the child's number, and who has arrived stays, because a
 * leaf's next is itself.  After a few levels more than a balanced tree of this size has, the rows that have arrived drop
 * out and the others close ranks; then again every few levels.  So no row waits for the deepest one.
 *
 * Rows that set out as a gang have their keys at fixed distances of each other: one register says where they all are, and a
 * step takes six instructions. */
#include "tree/tree_walk.h"

#include <string.h>

#include "base/err.h"
#include "num/kern.h"

enum {
    LANES = CP_KERN_GANG,
    ROWS = 512,       /* under way together */
    STRIDE = 3,       /* levels that gangs take at a time */
    STEP = 4,         /* levels between two looks at who has arrived */
    PER_ROW = 64,     /* nodes of a tree that is fetched ahead: with more, most are not met */
    SMALL = 16 << 10, /* nodes of a tree whose leaves are fetched too: both fit into the cache beside the tree before */
    LINE = 64
};

/* What may turn up on the way: only keys, of gangs, or of rows in a tree of near columns or of any; no categories; or
 * anything. */
typedef enum terrain { GANGS, NEAR_KEYS, KEYS, NUMBERS, ANYTHING } terrain;

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

/* The key that a step asks for. */
INLINE uint32_t key_of(const void *x, size_t way, terrain kind) {
    const size_t bytes = kind == GANGS  ? sizeof(uint32_t) * LANES / CP_TREE_STEP_NEAR
                         : kind == KEYS ? sizeof(uint32_t)
                                        : sizeof(uint32_t) / CP_TREE_STEP_NEAR;
    uint32_t key;
    memcpy(&key, (const char *)x + (way & 255) * bytes, sizeof key);
    return key;
}

/* One level down, by keys. */
INLINE size_t next_step(const cp_tree_step *step, size_t at, const void *x, terrain kind) {
    size_t way = step[at].way;
    return cp_kern_add_less(way >> 8, step, at, key_of(x, way, kind));
}

/* One level down. */
INLINE size_t next_node(const cp_tree *t, const cp_forest *f, size_t at, const void *x, terrain kind) {
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
    o.part[1] = next->gauss   ? want(next->gauss, next->leaves * sizeof *next->gauss)
                : next->value ? want(next->value, next->leaves * sizeof *next->value)
                              : want(next->share, next->start[next->leaves] * sizeof *next->share);
    return o;
}

/* Every group of rows asks for its share, into the second-level cache: the first holds the tree they walk through.  Inlined
 * by force: compilers drop calls that only fetch. */
INLINE void fetch_share(outlook *o) {
    for (size_t p = 0; p < 2; p++) {
        wanted *w = &o->part[p];
        size_t share = (w->lines + o->groups - 1) / o->groups;
        w->lines -= share;
        for (; share > 0; share--, w->from += LINE) __builtin_prefetch(w->from, 0, 2);
    }
    o->groups--;
}

/* A gang that is next to set out: its rows meet most columns, in an order that no processor foresees.  Lines by fours: some
 * are already those of the gang after it. */
INLINE void fetch_gang(const uint32_t *gang, size_t dims) {
    const char *from = (const char *)gang, *end = (const char *)(gang + LANES * dims);
    for (; from < end; from += 4 * LINE) {
        __builtin_prefetch(from);
        __builtin_prefetch(from + LINE);
        __builtin_prefetch(from + 2 * LINE);
        __builtin_prefetch(from + 3 * LINE);
    }
}

/* ------------------------------------------------------------------------------------------------------------- walking */

INLINE void go_down(const cp_tree *t, const cp_forest *f, party *p, size_t levels, terrain kind, outlook *o) {
    const cp_tree_step *step = t->step;
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
            for (size_t j = 0; j < LANES; j++)
                at[j] = kind <= KEYS ? next_step(step, at[j], x[j], kind) : next_node(t, f, at[j], x[j], kind);
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
        if (kind <= KEYS) {
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
    for (size_t k = 0; k < p->n; k++) {
        size_t at = (rows->row ? rows->row[first + k] : first + k) * dims;
        p->x[k] = kind <= KEYS ? (const void *)(rows->key + at) : rows->x + at;
        p->who[k] = (uint32_t)k;
        p->at[k] = 0;
    }
}

/* Sets p->n rows on their way, gang by gang, so many levels down. */
static void lead_gangs(const cp_tree *t, const uint32_t *gang, size_t dims, party *p, size_t levels, outlook *o) {
    const cp_tree_step *step = t->step;
    for (size_t k = 0; k < p->n; k += LANES, gang += LANES * dims) {
        size_t at[LANES] = {0};
        if (o->groups) fetch_share(o);
        if (k + LANES < p->n) fetch_gang(gang + LANES * dims, dims);
        for (size_t l = 0; l < levels; l += STRIDE) /* unrolled, registers need not be shuffled at every level */
            for (size_t u = 0; u < STRIDE; u++)
                for (size_t j = 0; j < LANES; j++) at[j] = next_step(step, at[j], gang + j, GANGS);
        for (size_t j = 0; j < LANES; j++) p->at[k + j] = (uint32_t)at[j];
    }
}

/* drop_arrived for rows that came as gangs: only those that go on are asked who they are. */
static void leave_gangs(const cp_tree *t, const uint32_t *gang, size_t dims, party *p, uint32_t *out_leaf) {
    size_t left = 0;
    for (size_t k = 0; k < p->n; k++) {
        uint32_t at = p->at[k], cut = t->step[at].cut;
        out_leaf[k] = cut - CP_TREE_STEP_LEAF;
        p->who[left] = (uint32_t)k;
        p->at[left] = at;
        left += cut < CP_TREE_STEP_LEAF;
    }
    p->n = left;
    for (size_t k = 0; k < left; k++) p->x[k] = gang + p->who[k] / LANES * LANES * dims + p->who[k] % LANES;
}

INLINE void walk(const cp_tree *t, const cp_forest *f, const cp_tree_rows *rows, terrain kind, uint32_t *out_leaf) {
    size_t levels = 1 + STEP;
    while (t->leaves >> (levels - STEP) > 1) levels++;
    outlook o = look_ahead(t, f, rows->n);
    for (size_t first = 0; first < rows->n; first += ROWS) {
        party p;
        p.n = rows->n - first < ROWS ? rows->n - first : ROWS;
        if (kind == GANGS) {
            lead_gangs(t, rows->gang + first * f->dims, f->dims, &p, levels, &o);
            leave_gangs(t, rows->gang + first * f->dims, f->dims, &p, out_leaf + first);
        } else {
            set_out(&p, rows, first, f->dims, kind);
            go_down(t, f, &p, levels, kind, &o);
            drop_arrived(t, &p, kind, out_leaf + first);
        }
        while (p.n) {
            go_down(t, f, &p, STEP, kind, &o);
            drop_arrived(t, &p, kind, out_leaf + first);
        }
    }
}

static void walk_gangs(const cp_tree *t, const cp_forest *f, const cp_tree_rows *rows, uint32_t *out_leaf) {
    size_t whole = rows->n - rows->n % LANES;
    walk(t, f, &(cp_tree_rows){.gang = rows->gang, .n = whole}, GANGS, out_leaf);
    walk(t, f, &(cp_tree_rows){.x = rows->x + whole * f->dims, .n = rows->n - whole}, NUMBERS, out_leaf + whole);
}

void cp_tree_walk_rows(const cp_tree *t, const cp_forest *f, const cp_tree_rows *rows, uint32_t *out_leaf) {
    if (rows->gang && !rows->row && t->step && t->unit == CP_TREE_STEP_NEAR)
        walk_gangs(t, f, rows, out_leaf);
    else if (rows->key && t->step && t->unit == CP_TREE_STEP_NEAR)
        walk(t, f, rows, NEAR_KEYS, out_leaf);
    else if (rows->key && t->step)
        walk(t, f, rows, KEYS, out_leaf);
    else if (cp_tree_plain(t))
        walk(t, f, rows, NUMBERS, out_leaf);
    else
        walk(t, f, rows, ANYTHING, out_leaf);
}

int cp_tree_walk_takes_keys(const cp_forest *f) {
    for (size_t m = 0; m < f->trees; m++)
        if (!f->tree[m].step) return 0;
    return f->dims <= 256;
}

int cp_tree_walk_takes_gangs(const cp_forest *f) {
    return f->dims <= CP_KERN_GANG_DIMS && cp_tree_walk_takes_keys(f);
}

void cp_tree_walk(const cp_tree *t, const cp_forest *f, const float *x, size_t n, uint32_t *out_leaf) {
    cp_tree_walk_rows(t, f, &(cp_tree_rows){.x = x, .n = n}, out_leaf);
}
