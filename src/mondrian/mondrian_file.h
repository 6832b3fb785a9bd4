/* mondrian_file - writes a forest in sections and reads it back; docs/format.md lists the sections.
 *
 * A forest that can learn is written with its rows and with the list of rows of every leaf.  A frozen forest is written
 * with what prediction needs (mondrian_frozen.h).  No file has boxes: they are rebuilt.  The functions below `write`
 * and `read` serve both kinds. */
#ifndef CP_MONDRIAN_FILE_H
#define CP_MONDRIAN_FILE_H

#include "mondrian/mondrian.h"

copse_status cp_mondrian_file_write(const void *state, const copse_params *p, unsigned flags, cp_writer *w,
                                    copse_error *err);
copse_status cp_mondrian_file_read(cp_reader *r, const copse_params *p, cp_rows_shape shape, void **out_state,
                                   copse_error *err);

static inline size_t cp_mondrian_file_box_bytes(const cp_mondrian_space *s) {
    return 2 * s->dims * sizeof(float);
}

/* Reads f->x, `rows` rows, from the section `name`. */
copse_status cp_mondrian_file_rows(cp_mondrian *f, cp_reader *r, const char *name, size_t rows, copse_error *err);
/* Reads each tree from its own part of the file. */
typedef copse_status (*cp_mondrian_file_tree)(cp_mondrian *f, size_t m, cp_reader *r, copse_error *err);
copse_status cp_mondrian_file_trees(cp_mondrian *f, cp_reader *r, cp_mondrian_file_tree read, copse_error *err);

/* Checks dimensions, cuts and times of the splits of a tree whose shape is known to be a tree.  `order`: parents before
 * children. */
copse_status cp_mondrian_file_splits(const cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r,
                                     const int32_t *order, copse_error *err);
/* Checks N5: no split has rows of one class only, or too few rows. */
copse_status cp_mondrian_file_pauses(const cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r,
                                     const int32_t *order, copse_error *err);
/* Rebuilds the boxes from the lists in the leaves. */
copse_status cp_mondrian_file_boxes(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r, const int32_t *order,
                                    copse_error *err);
/* Checks n moments of at most `rows` rows each. */
copse_status cp_mondrian_file_moments(const cp_mondrian_stat *st, size_t n, double rows, cp_reader *r,
                                      copse_error *err);

#endif
