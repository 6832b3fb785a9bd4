/* bart_tree_check - the invariants of bart_tree.h, coded once, slowly and from scratch. */
#ifndef CP_BART_TREE_CHECK_H
#define CP_BART_TREE_CHECK_H

#include "bart/core/bart_tree.h"

/* NULL if the invariants hold, else the first one broken.  Without a residual (v->r is NULL) sum_wr is not checked. */
const char *cp_bart_tree_check(const cp_bart_tree *t, const cp_bart_view *v);

#endif
