/* mondrian_frozen - the file of a frozen forest, which can predict but not learn.
 *
 * Prediction needs the box of each leaf, and class counts or moments of its targets.  A box for each leaf of each tree
 * would take many times the memory of the rows; but some row touches every side of a box, and the same row touches
 * boxes in many trees.  So the file has one table of hull rows for the forest: enough rows to touch every side of every
 * leaf's box in every tree, sorted, without targets.  In the file they are called corners.  Each leaf of each tree has
 * its class counts or its moments.  The leaf that a hull row lies in follows from the cuts, and the boxes follow from
 * that.
 *
 * The nodes of a tree are written in preorder, so its shape follows from which of them are leaves. */
#ifndef CP_MONDRIAN_FROZEN_H
#define CP_MONDRIAN_FROZEN_H

#include "mondrian/mondrian.h"

/* All of a frozen forest but its hyperparameters. */
copse_status cp_mondrian_frozen_write(const cp_mondrian *f, cp_writer *w, copse_error *err);
copse_status cp_mondrian_frozen_read(cp_mondrian *f, size_t rows, cp_reader *r, copse_error *err);

#endif
