/* mondrian_lookahead - the paths of the next rows to be learnt, found together so that they hide each other's cache
 * misses.
 *
 * A row that is learnt changes one node of the tree.  The paths of later rows through that node are right down to it;
 * the rest of each of these paths is found again when its row is learnt. */
#ifndef CP_MONDRIAN_LOOKAHEAD_H
#define CP_MONDRIAN_LOOKAHEAD_H

#include "mondrian/mondrian_path.h"
#include "mondrian/mondrian_prefetch.h"

typedef struct cp_mondrian_lookahead {
    cp_mondrian_paths paths;
    size_t first, count;                  /* rows first ... first+count-1 have a path: lane 0 ... count-1 */
    size_t valid[CP_MONDRIAN_PATH_LANES]; /* nodes at the start of each path that are right; SIZE_MAX: all */
    cp_mondrian_prefetch_pages pages;
} cp_mondrian_lookahead;
void cp_mondrian_lookahead_reset(cp_mondrian_lookahead *a); /* before another tree */
void cp_mondrian_lookahead_clear(cp_mondrian_lookahead *a);

/* Finds the paths of row t->rows and of the next rows; or the rest of the path of row t->rows. */
copse_status cp_mondrian_lookahead_refill(cp_mondrian_lookahead *a, cp_mondrian_tree *t, const cp_mondrian_space *s,
                                          copse_error *err);
copse_status cp_mondrian_lookahead_repair(cp_mondrian_lookahead *a, const cp_mondrian_tree *t,
                                          const cp_mondrian_space *s, copse_error *err);
/* The path of row t->rows, without branch points.  The tree then has room for all rows that have a path; what depends
 * on the leaf (sampling it again, its class counts) is the caller's to reserve. */
static inline copse_status cp_mondrian_lookahead_find(cp_mondrian_lookahead *a, cp_mondrian_tree *t,
                                                      const cp_mondrian_space *s, cp_mondrian_path **out,
                                                      copse_error *err) {
    if (t->rows - a->first >= a->count) CP_TRY(cp_mondrian_lookahead_refill(a, t, s, err));
    size_t lane = t->rows - a->first;
    *out = &a->paths.path[lane];
    return a->valid[lane] < (*out)->n ? cp_mondrian_lookahead_repair(a, t, s, err) : COPSE_OK;
}
/* Room in the tree for all rows that have a path, and for a block of `block` rows that is sampled again. */
copse_status cp_mondrian_lookahead_reserve(const cp_mondrian_lookahead *a, cp_mondrian_tree *t,
                                           const cp_mondrian_space *s, size_t block, copse_error *err);

/* Row t->rows has changed the node at this depth of its path: a split was put above it, or it was sampled again.  The
 * changed node keeps its id. */
void cp_mondrian_lookahead_invalidate(cp_mondrian_lookahead *a, const cp_mondrian_tree *t, size_t depth);

#endif
