#include "mondrian/mondrian_lookahead.h"

#include "mondrian/mondrian_grow.h"

void cp_mondrian_lookahead_reset(cp_mondrian_lookahead *a) {
    a->first = a->count = 0;
    a->pages = (cp_mondrian_prefetch_pages){0};
}

void cp_mondrian_lookahead_clear(cp_mondrian_lookahead *a) {
    cp_mondrian_path_clear(&a->paths);
}

/* A row learnt by itself needs no more than two rows of a block: a split, a leaf and two boxes.  One box is for the new
 * split, or for a node that had CP_MONDRIAN_BOX_ROWS - 1 rows; the other for a node that had CP_MONDRIAN_HULL_ROWS of
 * them from the start. */
static copse_status reserve(cp_mondrian_tree *t, const cp_mondrian_space *s, size_t block, size_t ahead,
                            copse_error *err) {
    return cp_mondrian_grow_reserve(t, s, block + 2 * ahead, err);
}

copse_status cp_mondrian_lookahead_reserve(const cp_mondrian_lookahead *a, cp_mondrian_tree *t,
                                           const cp_mondrian_space *s, size_t block, copse_error *err) {
    return reserve(t, s, block, a->first + a->count - t->rows, err);
}

copse_status cp_mondrian_lookahead_refill(cp_mondrian_lookahead *a, cp_mondrian_tree *t, const cp_mondrian_space *s,
                                          copse_error *err) {
    size_t left = s->rows - t->rows, count = left < CP_MONDRIAN_PATH_LANES ? left : CP_MONDRIAN_PATH_LANES;
    a->count = 0; /* after a failure there are no paths */
    CP_TRY(reserve(t, s, 0, count, err));
    cp_mondrian_prefetch_growth(&a->pages, t, s);
    CP_TRY(cp_mondrian_path_descend(&a->paths, t, s, cp_mondrian_tree_row(s, (int32_t)t->rows), count, err));
    for (size_t i = 0; i < count; i++) a->valid[i] = SIZE_MAX;
    a->first = t->rows;
    a->count = count;
    return COPSE_OK;
}

copse_status cp_mondrian_lookahead_repair(cp_mondrian_lookahead *a, const cp_mondrian_tree *t,
                                          const cp_mondrian_space *s, copse_error *err) {
    size_t lane = t->rows - a->first;
    return cp_mondrian_path_resume(&a->paths, t, lane, a->valid[lane], cp_mondrian_tree_row(s, (int32_t)t->rows), err);
}

void cp_mondrian_lookahead_invalidate(cp_mondrian_lookahead *a, const cp_mondrian_tree *t, size_t depth) {
    const int32_t *ids = a->paths.node_ids + depth * CP_MONDRIAN_PATH_LANES;
    size_t lane = t->rows - a->first, here = 0;
    int32_t node = ids[lane];
    for (size_t i = 0; i < CP_MONDRIAN_PATH_LANES; i++) here += ids[i] == node;
    if (here == 1) return; /* mostly the row is alone there; this loop without branches is quicker than the next one */
    for (size_t i = lane + 1; i < a->count; i++)
        if (ids[i] == node && depth < a->valid[i]) a->valid[i] = depth;
}
