/* mondrian_subtree - takes subtrees out of a tree whose arrays stay dense, so that others can be sampled instead.
 *
 * Order of calls: list, vacate, cp_mondrian_grow with the listed places as `vacant`, close. */
#ifndef CP_MONDRIAN_SUBTREE_H
#define CP_MONDRIAN_SUBTREE_H

#include "mondrian/mondrian_tree.h"

/* The nodes below node j, parents before children, without j itself; out has room.  Returns how many. */
size_t cp_mondrian_subtree_list(const cp_mondrian_tree *t, int32_t j, int32_t *out);
/* Lets boxes, candidates and class sets of the listed nodes be used again. */
void cp_mondrian_subtree_vacate(cp_mondrian_tree *t, const cp_mondrian_space *s, const int32_t *id, size_t n);
/* Removes vacated nodes that nothing took: the last nodes move into their places. */
void cp_mondrian_subtree_close(cp_mondrian_tree *t, const cp_mondrian_space *s, const int32_t *vacant, size_t n);

/* Node j splits at another time: the times below move with it.  The lifetime is infinite.  `id`: scratch for the
 * list. */
void cp_mondrian_subtree_retime(cp_mondrian_tree *t, int32_t j, double time, int32_t *id);

#endif
