/* bart_hands - the passes of num/slots.h, made by several threads that have one chain between them.
 *
 * Sums are defined there piece by piece, pieces of CP_SLOTS_PIECE rows added up in order.  So whoever has a hand free
 * sums pieces, and the thread that asked adds them up: the same bits for any number of hands, and as without any.
 * Results that do not depend on an order, such as extents and new slots, need no such care.
 *
 * Without hands (NULL), or with those of one thread, a pass is what num/slots.h makes of it, and costs nothing more. */
#ifndef CP_BART_HANDS_H
#define CP_BART_HANDS_H

#include "bart/bart.h"
#include "base/team.h"

/* HAND_ROWS: a thread has at least so many, or it would take longer to tell it of a pass than to make it.  STRETCH:
 * rows that are summed, or draw, one after the other where num/slots.h does not say how; this is part of the result,
 * the other is not. */
enum { CP_BART_HAND_ROWS = 8192, CP_BART_STRETCH = 8192 };

struct cp_bart_hands {
    cp_team *opt_team;
    /* Scratch, of each piece. */
    double *sum; /* CP_SLOTS_MAX of them */
    cp_slots_side *side;
    struct cp_bart_extent *extent;
};

/* For so many rows, of which there are no more in any pass.  One thread, or few rows: no team, and nothing is
 * allocated.  For more threads than rows are worth: a smaller team. */
copse_status cp_bart_hands_open(cp_bart_hands *h, size_t threads, size_t rows, copse_error *err);
void cp_bart_hands_close(cp_bart_hands *h);

static inline cp_team *cp_bart_hands_team(const cp_bart_hands *opt_hands) {
    return opt_hands ? opt_hands->opt_team : NULL;
}

/* As the functions of the same names in num/slots.h.  These pass over a residual, */
void cp_bart_hands_move(const cp_bart_hands *opt_hands, const cp_slots *k, const cp_slots_values *x,
                        const cp_slots_shift *opt_before, const cp_slots_shift *shift, double *opt_sum);
double cp_bart_hands_squares(const cp_bart_hands *opt_hands, const cp_slots *k, const cp_slots_values *x);
/* and these over all rows of a view, by its own hands. */
size_t cp_bart_hands_extent(const cp_bart_view *v, cp_bart_group rows, size_t dim, uint16_t out[2]);
cp_slots_side cp_bart_hands_left(const cp_bart_view *v, cp_bart_group rows, cp_slots_cut cut);
void cp_bart_hands_split(const cp_bart_view *v, uint8_t *slot, uint8_t s, cp_slots_cut cut, uint8_t to);
void cp_bart_hands_rename(const cp_bart_view *v, uint8_t *slot, uint8_t from, uint8_t to);

/* Rows from ... to-1: any pass whose rows do not know of each other.  Portions begin at pieces. */
typedef void (*cp_bart_hands_job)(void *arg, size_t from, size_t to);
void cp_bart_hands_each(const cp_bart_hands *opt_hands, size_t rows, cp_bart_hands_job job, void *arg);

/* The sum over all rows of what `of` gives for rows from ... to-1: that of each stretch for itself, added up in
 * order. */
typedef double (*cp_bart_hands_term)(void *arg, size_t from, size_t to);
double cp_bart_hands_sum(const cp_bart_hands *opt_hands, size_t rows, cp_bart_hands_term of, void *arg);

#endif
