/* bart_parallel - the passes of num/slots.h, made by several threads that have one chain between them.
 *
 * Sums are defined there piece by piece, pieces of CP_LEAF_PASS_PIECE rows added up in order.  So whoever has a hand
 * free sums pieces, and the thread that asked adds them up: the same bits for any number of hands, and as without any.
 * Results that do not depend on an order, such as extents and new slots, need no such care.
 *
 * Without hands (NULL), or with those of one thread, a pass is what num/slots.h makes of it, and costs nothing more. */
#ifndef CP_BART_PARALLEL_H
#define CP_BART_PARALLEL_H

#include "bart/core/bart_view.h"
#include "base/thread_team.h"

/* HAND_ROWS: a thread has at least so many, or it would take longer to tell it of a pass than to make it.  STRETCH:
 * rows that are summed, or draw, one after the other where num/slots.h does not say how; this is part of the result,
 * the other is not. */
enum { CP_BART_PARALLEL_ROWS = 8192, CP_BART_PARALLEL_BLOCK = 8192 };

struct cp_bart_parallel {
    cp_thread_team *opt_team;
    /* Scratch, of each piece. */
    double *sum; /* CP_LEAF_PASS_MAX of them */
    cp_leaf_pass_side *side;
    struct cp_bart_extent *extent;
};

/* For so many rows, of which there are no more in any pass.  One thread, or few rows: no team, and nothing is
 * allocated.  For more threads than rows are worth: a smaller team. */
copse_status cp_bart_parallel_open(cp_bart_parallel *h, size_t threads, size_t rows, copse_error *err);
void cp_bart_parallel_close(cp_bart_parallel *h);

static inline cp_thread_team *cp_bart_parallel_team(const cp_bart_parallel *opt_hands) {
    return opt_hands ? opt_hands->opt_team : NULL;
}

/* As the functions of the same names in num/slots.h.  These pass over a residual, */
void cp_bart_parallel_move(const cp_bart_parallel *opt_hands, const cp_leaf_pass *k, const cp_leaf_pass_values *x,
                           const cp_leaf_pass_shift *opt_before, const cp_leaf_pass_shift *shift, double *opt_sum);
double cp_bart_parallel_squares(const cp_bart_parallel *opt_hands, const cp_leaf_pass *k, const cp_leaf_pass_values *x);
/* and these over all rows of a view, by its own hands. */
size_t cp_bart_parallel_extent(const cp_bart_view *v, cp_bart_group rows, size_t dim, uint16_t out[2]);
cp_leaf_pass_side cp_bart_parallel_left(const cp_bart_view *v, cp_bart_group rows, cp_leaf_pass_cut cut);
void cp_bart_parallel_split(const cp_bart_view *v, uint8_t *slot, uint8_t s, cp_leaf_pass_cut cut, uint8_t to);
void cp_bart_parallel_rename(const cp_bart_view *v, uint8_t *slot, uint8_t from, uint8_t to);

/* Rows from ... to-1: any pass whose rows do not know of each other.  Portions begin at pieces. */
typedef void (*cp_bart_parallel_job)(void *arg, size_t from, size_t to);
void cp_bart_parallel_each(const cp_bart_parallel *opt_hands, size_t rows, cp_bart_parallel_job job, void *arg);

/* The sum over all rows of what `of` gives for rows from ... to-1: that of each stretch for itself, added up in
 * order. */
typedef double (*cp_bart_parallel_term)(void *arg, size_t from, size_t to);
double cp_bart_parallel_sum(const cp_bart_parallel *opt_hands, size_t rows, cp_bart_parallel_term of, void *arg);

#endif
