/* mondrian_predict - the prediction of a forest: the mean over its trees. */
#ifndef CP_MONDRIAN_PREDICT_H
#define CP_MONDRIAN_PREDICT_H

#include "mondrian/mondrian.h"

copse_status cp_mondrian_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                                 copse_error *err);
/* Adds the class probabilities of tree m for the point of a path.  base: those above the root (mondrian_counts.h), or
 * NULL for the papers' model. */
void cp_mondrian_predict_tree(const cp_mondrian *f, size_t m, const double *base, const cp_mondrian_path *path,
                              double *probs);

#endif
