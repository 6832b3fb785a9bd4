/* mondrian_before - predictions of rows just before a forest learns them, by trees that learn in parallel: what each
 * prediction needs of the forest's state before its row, and what is done to the merged predictions.
 *
 * The state is computed before any tree learns, from the rows alone, so it does not matter how a stream is cut. */
#ifndef CP_MONDRIAN_BEFORE_H
#define CP_MONDRIAN_BEFORE_H

#include "mondrian/mondrian.h"

typedef struct cp_mondrian_before {
    size_t rows;              /* learnt before the piece */
    cp_mondrian_stat moments; /* numbers: of them */
    cp_mondrian_hyper *hyper; /* numbers: before each row of the piece */
    double *size;             /* numbers, calibrated: for each tree one per row (mondrian_honest.h) */
    double *base;             /* classes, calibrated: for each row the shares before it */
    size_t n;                 /* rows of the piece */
} cp_mondrian_before;

/* Before the piece is kept.  Start from {0}; clear also after a failure. */
copse_status cp_mondrian_before_init(cp_mondrian_before *b, const cp_mondrian *f, const cp_rows *piece,
                                     copse_error *err);
void cp_mondrian_before_clear(cp_mondrian_before *b);

/* The row of the piece that a tree predicts. */
typedef struct cp_mondrian_before_row {
    size_t tree, place;
    const cp_mondrian_path *path;
} cp_mondrian_before_row;
/* The tree's prediction of the row, in the tree's own answer. */
copse_status cp_mondrian_before_predict(const cp_mondrian_before *b, const cp_mondrian *f, cp_mondrian_before_row row,
                                        cp_answer *out, copse_error *err);
/* Calibrates the merged predictions of the piece, which begin at row `first` of out. */
void cp_mondrian_before_finish(const cp_mondrian_before *b, const cp_mondrian *f, const cp_rows *piece, size_t first,
                               cp_answer *out);

#endif
