/* bart_pg_levels - clusters of residuals, the levels: how many leaves the rows would need if their features allowed any
 * split.
 *
 * The rows, sorted by residual, are cut into consecutive levels.  A level of n rows among N scores its log likelihood
 * in one leaf, plus n log(n/N), minus leaf_penalty.  The term n log(n/N) is the cost of saying which level each row
 * belongs to.  The cut with the greatest total score is taken (dynamic programming).
 *
 * The cut is made for the current noise and for ever smaller noise, and the best of all is kept.  The reason: while a
 * chain has not converged, its noise is far above that of the data, and the levels must be found all the same.
 * Residuals without levels, as most are, gain nothing from smaller noise because of n log(n/N), and form one level. */
#ifndef CP_BART_PG_LEVELS_H
#define CP_BART_PG_LEVELS_H

#include "bart/core/bart_view.h"

typedef struct cp_bart_pg_levels {
    size_t n;
    size_t usual_rows; /* rows of a typical level: a quarter of all rows are in levels of at most so many */
    uint16_t *of;      /* level of each row that was given to _find or _none */
    /* Scratch. */
    uint64_t *key; /* 3 x rows */
    struct cp_bart_pg_levels_block *block;
} cp_bart_pg_levels;

enum { CP_BART_PG_LEVELS_MAX = 1024 };

copse_status cp_bart_pg_levels_init(cp_bart_pg_levels *l, size_t rows, copse_error *err);
void cp_bart_pg_levels_clear(cp_bart_pg_levels *l);

/* One level for all rows. */
void cp_bart_pg_levels_none(cp_bart_pg_levels *l, cp_span rows);
void cp_bart_pg_levels_find(cp_bart_pg_levels *l, const cp_bart_view *v, cp_span rows, double leaf_penalty);

#endif
