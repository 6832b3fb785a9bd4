#include "method/row_groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/sort.h"
#include "method/holdout.h"

enum {
    FEW_VALUES = 12, /* so many values, or a quarter of what there is, are few */
    MANY_ROWS = 4,   /* rows of equal x, on average, are many */
    SHARES = 2,      /* times the share that has the groups that are wanted is looked at */
    MANY = 50000     /* with fewer rows, all are looked at */
};

/* A row and the hash by which it is ordered. */
typedef struct item {
    uint64_t hash;
    uint32_t row;
} item;

static int by_hash_and_row(const void *a, const void *b) {
    const item *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* ---------------------------------------------------------------------------------------------------------- sorting */

typedef struct sorter {
    item *item;
    size_t n, cap;
    uint64_t *key, *tmp; /* room for n */
    item *sorted;
} sorter;

static copse_status sorter_room(sorter *s, copse_error *err) {
    CP_TRY(CP_RAW(s->sorted, s->n, err));
    CP_TRY(CP_RAW(s->key, s->n, err));
    return CP_RAW(s->tmp, s->n, err);
}

static void sorter_clear(sorter *s) {
    cp_mem_free(s->item);
    cp_mem_free(s->sorted);
    cp_mem_free(s->key);
    cp_mem_free(s->tmp);
    *s = (sorter){0};
}

/* Sorts the items by hash; equal ones keep their order, which is that of the rows.  The upper halves are sorted first;
 * where they agree, the whole hashes mostly agree as well. */
static void sort_items(sorter *s) {
    for (size_t i = 0; i < s->n; i++) s->key[i] = (s->item[i].hash & ~(uint64_t)UINT32_MAX) | i;
    cp_sort_wide(s->key, s->n, s->tmp);
    for (size_t i = 0; i < s->n; i++) s->sorted[i] = s->item[s->key[i] & UINT32_MAX];
    for (size_t i = 0, end; i < s->n; i = end) {
        int same = 1;
        for (end = i + 1; end < s->n && s->sorted[end].hash >> 32 == s->sorted[i].hash >> 32; end++)
            same &= s->sorted[end].hash == s->sorted[i].hash;
        if (!same) qsort(s->sorted + i, end - i, sizeof *s->sorted, by_hash_and_row);
    }
    item *swap = s->item;
    s->item = s->sorted;
    s->sorted = swap;
}

static size_t count_hashes(const sorter *s) {
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) n += i == 0 || s->item[i].hash != s->item[i - 1].hash;
    return n;
}

/* ------------------------------------------------------------------------------------------------------------ units */

static uint64_t hash_of_target(const cp_rows *rows, uint32_t row, uint64_t hash) {
    uint64_t target = rows->label ? (uint64_t)rows->label[row] : 0;
    double y = rows->label ? 0 : rows->y[row] + 0.;
    if (!rows->label) memcpy(&target, &y, sizeof target);
    return cp_holdout_mix(hash ^ cp_holdout_mix(target + 1));
}

/* Are there few different ones among n keys?  Sorts them. */
static int are_few(sorter *s, size_t n, size_t among) {
    size_t distinct = 0, most = among / 4 > FEW_VALUES ? among / 4 : FEW_VALUES;
    cp_sort_wide(s->key, n, s->tmp);
    for (size_t i = 0; i < n; i++) distinct += i == 0 || s->key[i] >> 32 != s->key[i - 1] >> 32;
    return distinct <= most;
}

/* Does every column of numbers take few values, next to the groups there are?  Looks at a row of each group. */
static int columns_repeat(sorter *s, const cp_rows *rows, size_t groups) {
    for (size_t d = 0; d < rows->dims; d++) {
        size_t n = 0;
        if (rows->levels && rows->levels[d]) continue;
        for (size_t i = 0; i < s->n; i++) {
            if (i && s->item[i].hash == s->item[i - 1].hash) continue;
            float x = rows->x[s->item[i].row * rows->dims + d];
            s->key[n++] = (uint64_t)(x == x ? cp_sort_from_float(x) : 0) << 32;
        }
        if (!are_few(s, n, groups)) return 0;
    }
    return 1;
}

/* Does the target take few values, next to the pairs of x and target there are? */
static int targets_repeat(sorter *s, const cp_rows *rows, size_t pairs) {
    for (size_t i = 0; i < s->n; i++) s->key[i] = hash_of_target(rows, s->item[i].row, 0) & ~(uint64_t)UINT32_MAX;
    return are_few(s, s->n, pairs);
}

/* ------------------------------------------------------------------------------------------------------ near copies */

/* Hash of the target and of x with 11 bits of each mantissa: what copies share if a digit of one was changed. */
static uint64_t near_hash(const cp_rows *rows, uint32_t row) {
    uint64_t h = hash_of_target(rows, row, 0);
    const float *x = rows->x + row * rows->dims;
    for (size_t d = 0; d < rows->dims; d++) {
        uint32_t bits = x[d] == x[d] ? (cp_sort_from_float(x[d]) + (1u << 11)) >> 12 : 0;
        h = cp_holdout_mix(h ^ bits);
    }
    return h;
}

static uint32_t root_of(uint32_t *parent, uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

/* Scratch of join_near_copies: by place among the sorted items, and by group. */
typedef struct near_copies {
    uint64_t *hash;
    uint32_t *group, *parent;
    uint64_t *hash_of_group;
} near_copies;

static copse_status near_init(near_copies *c, const sorter *s, copse_error *err) {
    size_t groups = 0;
    *c = (near_copies){0};
    CP_TRY(CP_RAW(c->hash, s->n, err));
    CP_TRY(CP_RAW(c->group, s->n, err));
    CP_TRY(CP_RAW(c->parent, s->n, err));
    CP_TRY(CP_RAW(c->hash_of_group, s->n, err));
    for (size_t i = 0; i < s->n; i++) {
        if (i == 0 || s->item[i].hash != s->item[i - 1].hash) {
            c->parent[groups] = (uint32_t)groups;
            c->hash_of_group[groups++] = s->item[i].hash;
        }
        c->group[i] = (uint32_t)groups - 1;
    }
    return COPSE_OK;
}

static void near_clear(near_copies *c) {
    cp_mem_free(c->hash);
    cp_mem_free(c->group);
    cp_mem_free(c->parent);
    cp_mem_free(c->hash_of_group);
}

/* Joins groups that have a row of the same number and almost the same x.  The items are sorted by x, and by group
 * afterwards.  A group that was joined has the least hash of its parts. */
static copse_status join_near_copies(sorter *s, const cp_rows *rows, copse_error *err) {
    near_copies c;
    int any = 0;
    copse_status status = near_init(&c, s, err);
    if (status) {
        near_clear(&c);
        return status;
    }
    for (size_t i = 0; i < s->n; i++) {
        c.hash[i] = near_hash(rows, s->item[i].row);
        s->key[i] = (c.hash[i] & ~(uint64_t)UINT32_MAX) | i;
    }
    cp_sort_wide(s->key, s->n, s->tmp);
    for (size_t i = 1; i < s->n; i++) {
        uint32_t a = (uint32_t)s->key[i - 1], b = (uint32_t)s->key[i];
        if (c.hash[a] != c.hash[b] || c.group[a] == c.group[b]) continue;
        join(c.parent, c.group[a], c.group[b]);
        any = 1;
    }
    for (size_t i = 0; any && i < s->n; i++) s->item[i].hash = c.hash_of_group[root_of(c.parent, c.group[i])];
    if (any) sort_items(s);
    near_clear(&c);
    return COPSE_OK;
}

/* ----------------------------------------------------------------------------------------------------- finer groups */

/* Do most groups have rows of different targets?  Copies of rows do not. */
static int targets_differ(const sorter *s, const cp_rows *rows, size_t groups) {
    size_t mixed = 0;
    for (size_t i = 0, end; i < s->n; i = end) {
        uint64_t x = s->item[i].hash, first = hash_of_target(rows, s->item[i].row, x);
        int same = 1;
        for (end = i + 1; end < s->n && s->item[end].hash == x; end++)
            same &= hash_of_target(rows, s->item[end].row, x) == first;
        mixed += !same;
    }
    return 2 * mixed > groups;
}

static void divide_by_target(sorter *s, const cp_rows *rows) {
    for (size_t i = 0; i < s->n; i++) s->item[i].hash = hash_of_target(rows, s->item[i].row, s->item[i].hash);
    sort_items(s);
}

/* Gives each row a hash of its own: that of its group, and its place in it. */
static void divide_rows(sorter *s) {
    uint64_t before = 0;
    for (size_t i = 0, place = 0; i < s->n; i++) {
        uint64_t hash = s->item[i].hash;
        place = i && hash == before ? place + 1 : 0;
        before = hash;
        s->item[i].hash = cp_holdout_mix(hash + place);
    }
    sort_items(s);
}

/* Will a new row most likely have an x that was seen? */
static int x_repeats(sorter *s, const cp_rows *rows, size_t groups) {
    return MANY_ROWS * groups <= s->n && targets_differ(s, rows, groups) && columns_repeat(s, rows, groups);
}

/* The items are sorted by the hash of x. */
static void divide_finer(sorter *s, const cp_rows *rows, size_t least) {
    size_t groups = count_hashes(s);
    if (groups == s->n || (groups >= least && !x_repeats(s, rows, groups))) return;
    divide_by_target(s, rows);
    groups = count_hashes(s);
    if (groups < least || targets_repeat(s, rows, groups)) divide_rows(s);
}

/* ----------------------------------------------------------------------------------------------------------- groups */

static copse_status take(cp_row_groups *g, const sorter *s, copse_error *err) {
    g->groups = count_hashes(s);
    g->rows = s->n;
    CP_TRY(CP_RAW(g->row, s->n, err));
    CP_TRY(CP_RAW(g->start, g->groups + 1, err));
    for (size_t i = 0, k = 0; i < s->n; i++) {
        g->row[i] = s->item[i].row;
        if (i == 0 || s->item[i].hash != s->item[i - 1].hash) g->start[k++] = (uint32_t)i;
    }
    g->start[g->groups] = (uint32_t)s->n;
    return COPSE_OK;
}

/* --------------------------------------------------------------------------------------------------- rows looked at */

static copse_status add_item(sorter *s, uint64_t hash, uint32_t row, copse_error *err) {
    CP_TRY(CP_GROW(s->item, s->cap, s->n + 1, err));
    s->item[s->n++] = (item){hash, row};
    return COPSE_OK;
}

static uint64_t x_hash(const cp_rows *rows, uint32_t row, uint64_t seed) {
    return cp_holdout_hash(rows->x + row * rows->dims, rows->dims, seed);
}

static copse_status look_below(sorter *s, const cp_rows *rows, const cp_row_groups_ask *ask, uint64_t limit,
                               copse_error *err) {
    if (limit == UINT64_MAX) CP_TRY(CP_GROW(s->item, s->cap, ask->n, err));
    for (size_t i = 0; i < ask->n; i++) {
        uint64_t hash = x_hash(rows, ask->row[i], ask->seed);
        if (hash <= limit) CP_TRY(add_item(s, hash, ask->row[i], err));
    }
    return COPSE_OK;
}

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Adds the near copies, from among the rows above the limit, of the rows below it.  Most rows have a number that none
 * of those has: a bit for each hash of a number tells. */
static copse_status look_near(sorter *s, const cp_rows *rows, const cp_row_groups_ask *ask, uint64_t limit,
                              copse_error *err) {
    enum { BITS = 1 << 20 };
    copse_status status = COPSE_OK;
    size_t below = s->n;
    uint64_t *near = NULL, *bit = NULL;
    CP_TRY_OUT(CP_NEW(bit, BITS / 64, err));
    CP_TRY_OUT(CP_RAW(near, below, err));
    for (size_t i = 0; i < below; i++) {
        uint64_t y = hash_of_target(rows, s->item[i].row, 0) % BITS;
        bit[y / 64] |= (uint64_t)1 << y % 64;
        near[i] = near_hash(rows, s->item[i].row);
    }
    qsort(near, below, sizeof *near, by_number);
    for (size_t i = 0; i < ask->n; i++) {
        uint32_t row = ask->row[i];
        uint64_t y = hash_of_target(rows, row, 0) % BITS;
        if (!(bit[y / 64] >> y % 64 & 1)) continue;
        uint64_t hash = x_hash(rows, row, ask->seed), same = near_hash(rows, row);
        if (hash <= limit || !bsearch(&same, near, below, sizeof *near, by_number)) continue;
        CP_TRY_OUT(add_item(s, hash, row, err));
    }
out:
    cp_mem_free(near);
    cp_mem_free(bit);
    return status;
}

/* Looks at the rows whose hash is up to the limit, and puts them in order. */
static copse_status look(sorter *s, const cp_rows *rows, const cp_row_groups_ask *ask, uint64_t limit,
                         copse_error *err) {
    CP_TRY(look_below(s, rows, ask, limit, err));
    if (rows->y && limit < UINT64_MAX) CP_TRY(look_near(s, rows, ask, limit, err));
    CP_TRY(sorter_room(s, err));
    sort_items(s);
    return rows->y ? join_near_copies(s, rows, err) : COPSE_OK;
}

/* Where few groups are wanted of many rows, a share of the rows has them: the first groups are the same. */
static copse_status look_at_share(sorter *s, const cp_rows *rows, const cp_row_groups_ask *ask, copse_error *err) {
    double share = (double)SHARES * (double)ask->wanted / (double)ask->n;
    if (ask->wanted == 0 || ask->n < MANY || share > .5) return look(s, rows, ask, UINT64_MAX, err);
    CP_TRY(look(s, rows, ask, (uint64_t)(share * 0x1p64), err));
    if (count_hashes(s) >= ask->wanted) return COPSE_OK;
    sorter_clear(s);
    return look(s, rows, ask, UINT64_MAX, err);
}

copse_status cp_row_groups_init(cp_row_groups *g, const cp_rows *rows, const cp_row_groups_ask *ask, copse_error *err) {
    sorter s = {0};
    *g = (cp_row_groups){0};
    copse_status status = look_at_share(&s, rows, ask, err);
    if (!status) {
        divide_finer(&s, rows, ask->least);
        status = take(g, &s, err);
    }
    sorter_clear(&s);
    return status;
}

void cp_row_groups_clear(cp_row_groups *g) {
    cp_mem_free(g->row);
    cp_mem_free(g->start);
    *g = (cp_row_groups){0};
}

size_t cp_row_groups_about(const cp_row_groups *g, size_t rows) {
    size_t k = 1;
    while (k + 1 < g->groups && 2 * rows >= (size_t)g->start[k] + g->start[k + 1]) k++;
    return k;
}
