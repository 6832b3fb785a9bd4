/* mondrian_calibrate - learns from held-out rows how far a forest's predictions may be trusted (mondrian_honest.h).
 *
 * Small forests of the same kind are grown without some of the rows, and predict them.  The numbers of
 * cp_mondrian_honest that give these predictions the greatest likelihood are those of the forest.
 *
 * Rows are held out by a hash of their features, so identical rows are held out together: a copy among the rows learnt
 * from would tell the answer.  Whatever made the trees overconfident (labels that chose a cut fill the leaf too)
 * happens in these forests as well, and their held-out rows see it.
 *
 * The result is a function of the rows and the seed.  `fit` calibrates on all its rows, and learning again whenever the
 * rows have doubled, on exactly the first 2, 4, 8 ... times as many: so it makes no difference how a stream is cut. */
#ifndef CP_MONDRIAN_CALIBRATE_H
#define CP_MONDRIAN_CALIBRATE_H

#include "mondrian/mondrian.h"

/* Sets f->honest from the first `rows` rows of the forest. */
copse_status cp_mondrian_calibrate(cp_mondrian *f, size_t rows, const copse_run *run, copse_error *err);
/* The same where learning has brought the forest to twice the rows of the last time. */
copse_status cp_mondrian_calibrate_again(cp_mondrian *f, const copse_run *run, copse_error *err);
/* The rows that the forest may still learn before that is due; SIZE_MAX: it never is. */
size_t cp_mondrian_calibrate_due(const cp_mondrian *f);

#endif
