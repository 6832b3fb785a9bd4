/* mondrian_file - a forest in sections and back; docs/format.md lists them.
 *
 * Two ways to keep a forest.  One that goes on learning has its rows, and the lists of them in every leaf
 * (mondrian_file.c); a frozen one has what prediction needs (mondrian_frozen.c).  Here is what both share: what must
 * hold whatever a file says, and the boxes, which no file holds. */
#ifndef CP_MONDRIAN_FILE_H
#define CP_MONDRIAN_FILE_H

#include "data/schema.h"
#include "mondrian/mondrian.h"

/* Beyond these, squares and their products overflow; the schema refuses targets that large. */
#define CP_MONDRIAN_FILE_MAX_MEAN     (2 * CP_SCHEMA_TARGET_MAX)
#define CP_MONDRIAN_FILE_MAX_VARIANCE 1e130

static inline size_t cp_mondrian_file_box_bytes(const cp_mondrian_space *s) {
    return 2 * s->dims * sizeof(float);
}

/* Reads f->x, `rows` rows, from the section of that name. */
copse_status cp_mondrian_file_rows(cp_mondrian *f, cp_reader *r, const char *name, size_t rows, copse_error *err);
/* Reads each tree from its own part of the file. */
typedef copse_status (*cp_mondrian_file_tree)(cp_mondrian *f, size_t m, cp_reader *r, copse_error *err);
copse_status cp_mondrian_file_trees(cp_mondrian *f, cp_reader *r, cp_mondrian_file_tree read, copse_error *err);

/* For a tree whose nodes are one: dimensions, cuts and times of its splits.  `order`: parents before children. */
copse_status cp_mondrian_file_splits(const cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r,
                                     const int32_t *order, copse_error *err);
/* N5: no block was split that should have paused, of one class or of too few rows. */
copse_status cp_mondrian_file_pauses(const cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r,
                                     const int32_t *order, copse_error *err);
/* Rebuilds the boxes from the lists in the leaves. */
copse_status cp_mondrian_file_boxes(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r, const int32_t *order,
                                    copse_error *err);
copse_status cp_mondrian_file_moments(const cp_mondrian_stat *st, size_t n, double rows, cp_reader *r,
                                      copse_error *err);

/* All of a frozen forest but its hyperparameters. */
copse_status cp_mondrian_frozen_write(const cp_mondrian *f, cp_writer *w, copse_error *err);
copse_status cp_mondrian_frozen_read(cp_mondrian *f, size_t rows, cp_reader *r, copse_error *err);

#endif
