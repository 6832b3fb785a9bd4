/* bart_mh_subtree - prior and likelihood of a subtree whose rules have been edited, for change and swap. */
#ifndef CP_BART_MH_SUBTREE_H
#define CP_BART_MH_SUBTREE_H

#include "bart/mh/bart_mh.h"

/* log of prior times likelihood of the subtree of `top`, as its links and rules now are; with_rule = 0 leaves out the
 * prior of top's own rule.  The leaves' rows and sums may be out of date, as long as the rows below top are the same in
 * all.  Leaves the nodes' rows and sums in k->proposed and the rows' slots in k->slot.  -INFINITY if a leaf has no
 * rows. */
double cp_bart_mh_subtree_log_prob(cp_bart_mh *k, const cp_bart_view *v, const cp_bart_tree *t, int16_t top,
                                   int with_rule);
/* Copies the scratch of cp_bart_mh_subtree_log_prob to the tree. */
void cp_bart_mh_subtree_apply(const cp_bart_mh *k, const cp_bart_view *v, cp_bart_tree *t, int16_t top);

#endif
