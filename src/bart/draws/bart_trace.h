/* bart_trace - scalars of every kept draw of a chain, in the targets' own units: what convergence is judged by. */
#ifndef CP_BART_TRACE_H
#define CP_BART_TRACE_H

#include "bart/draws/bart_problem.h"
#include "base/codec.h"

typedef struct cp_bart_chain cp_bart_chain;

/* Bounds of sigma over scale: a float above 0. */
#define CP_BART_TRACE_LEAST_NOISE 1e-30
#define CP_BART_TRACE_MOST_NOISE  1e30
/* Whether a draw of so many trees can have this value. */
int cp_bart_trace_possible_noise(double sigma, double scale);
int cp_bart_trace_possible_leaves(double leaves, size_t trees);

enum { CP_BART_TRACE_ROWS = 8 }; /* rows, spread over the data, whose fitted value is traced */
typedef struct cp_bart_trace {
    size_t draws;    /* so far */
    size_t capacity; /* of each series: `samples`, the draws of a finished chain */
    /* sums x capacity.  Uneven noise: sigma^2 is the mean of the noise's variance over the rows.  Classes: sigma is 1,
     * and the likelihood of a sum is that of "of its class or not". */
    double *sigma, *log_likelihood, *leaves;
    /* CP_BART_TRACE_ROWS x capacity.  Two classes: the probability of label 1; more: that of the row's own label. */
    double *fitted;
    double *opt_noise;   /* uneven noise: CP_BART_TRACE_ROWS x capacity, sd of the noise at the same rows; else NULL */
    cp_bart_tally tally; /* after burn-in */
} cp_bart_trace;

copse_status cp_bart_trace_init(cp_bart_trace *t, const cp_bart_problem *b, copse_error *err);
void cp_bart_trace_clear(cp_bart_trace *t);
/* Adds the current state of the chain as the next draw; t->draws < t->capacity. */
void cp_bart_trace_add(cp_bart_trace *t, const cp_bart_chain *c);
copse_status cp_bart_trace_write(const cp_bart_trace *t, const cp_bart_problem *b, cp_writer *w, copse_error *err);
/* t is initialised; its capacity may be greater than that of the written trace. */
copse_status cp_bart_trace_read(cp_bart_trace *t, const cp_bart_problem *b, cp_reader *r, copse_error *err);

#endif
