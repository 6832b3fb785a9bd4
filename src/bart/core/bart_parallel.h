/* bart_parallel - the passes over rows of kernel/leaf_pass.h, made by the threads of one chain.
 *
 * leaf_pass.h defines a sum piece by piece: pieces of CP_LEAF_PASS_PIECE rows, added up in order.  So threads sum
 * pieces in any order, and the calling thread adds the pieces up in order: the bits are the same for any number of
 * threads.  Results that do not depend on an order (extents, new slots) are computed in any order.
 *
 * Without a team (NULL, or one thread) a pass calls the kernel itself and costs nothing more. */
#ifndef CP_BART_PARALLEL_H
#define CP_BART_PARALLEL_H

#include "bart/core/bart_view.h"
#include "base/thread_team.h"

/* ROWS: a thread gets at least this many rows of a pass, because a handover takes about as long as passing over them.
 * It does not change results.  BLOCK: rows that are summed, or draw random numbers, one after the other where
 * leaf_pass.h does not define the order.  It changes results. */
enum { CP_BART_PARALLEL_ROWS = 8192, CP_BART_PARALLEL_BLOCK = 8192 };

struct cp_bart_parallel {
    cp_thread_team *opt_team;
    /* Scratch, for each piece. */
    double *sum; /* CP_LEAF_PASS_MAX for each piece */
    cp_leaf_pass_side *side;
    struct cp_bart_extent *extent;
};

/* No pass may have more than `rows` rows.  With one thread or few rows there is no team, and nothing is allocated.  The
 * team is smaller than `threads` where the rows are too few for all. */
copse_status cp_bart_parallel_open(cp_bart_parallel *par, size_t threads, size_t rows, copse_error *err);
void cp_bart_parallel_close(cp_bart_parallel *par);

static inline cp_thread_team *cp_bart_parallel_team(const cp_bart_parallel *opt_parallel) {
    return opt_parallel ? opt_parallel->opt_team : NULL;
}

/* As the functions of these names in leaf_pass.h (sums: its sum).  These pass over a residual: */
void cp_bart_parallel_move(const cp_bart_parallel *opt_parallel, const cp_leaf_pass *k, const cp_leaf_pass_values *x,
                           const cp_leaf_pass_shift *opt_before, const cp_leaf_pass_shift *shift, double *opt_sum);
void cp_bart_parallel_scale(const cp_bart_parallel *opt_parallel, const cp_leaf_pass *k, const cp_leaf_pass_values *x,
                            const cp_leaf_pass_shift *opt_before, const cp_leaf_pass_shift *shift, double *opt_sum);
void cp_bart_parallel_sums(const cp_bart_parallel *opt_parallel, const cp_leaf_pass *k, const cp_leaf_pass_values *x,
                           const cp_leaf_pass_shift *groups, double *sum);
double cp_bart_parallel_squares(const cp_bart_parallel *opt_parallel, const cp_leaf_pass *k,
                                const cp_leaf_pass_values *x);
/* These pass over all rows of a view, with the view's threads: */
size_t cp_bart_parallel_extent(const cp_bart_view *v, cp_bart_group rows, size_t dim, uint16_t out[2]);
cp_leaf_pass_side cp_bart_parallel_left(const cp_bart_view *v, cp_bart_group rows, cp_leaf_pass_cut cut);
void cp_bart_parallel_split(const cp_bart_view *v, uint8_t *slot, uint8_t s, cp_leaf_pass_cut cut, uint8_t to);
void cp_bart_parallel_rename(const cp_bart_view *v, uint8_t *slot, uint8_t from, uint8_t to);

/* Calls job for disjoint ranges from ... to-1 that cover all rows and begin at pieces; for passes whose rows are
 * independent. */
typedef void (*cp_bart_parallel_job)(void *arg, size_t from, size_t to);
void cp_bart_parallel_each(const cp_bart_parallel *opt_parallel, size_t rows, cp_bart_parallel_job job, void *arg);

/* The sum of `of` over blocks of CP_BART_PARALLEL_BLOCK rows, added up in order. */
typedef double (*cp_bart_parallel_term)(void *arg, size_t from, size_t to);
double cp_bart_parallel_sum(const cp_bart_parallel *opt_parallel, size_t rows, cp_bart_parallel_term of, void *arg);

#endif
