/* bart_pg_levels - residuals as levels: how many leaves it would take to explain rows, were it not for their features.
 *
 * Rows in the order of their residuals are cut into stretches, the levels.  A level of n rows among N counts for its
 * log likelihood in one leaf, n log(n/N) - which level a row is of has to be said, too - and less a price; the cut with
 * the greatest sum is taken.  This is done for noise as it is and for ever smaller noise, and the best of all is kept:
 * while a chain has not found its way, its noise is far above that of the data, and levels must be seen all the same.
 * Rows without levels, as most residuals are, gain nothing from smaller noise, because of n log(n/N), and are one
 * level. */
#ifndef CP_BART_PG_LEVELS_H
#define CP_BART_PG_LEVELS_H

#include "bart/core/bart_view.h"

typedef struct cp_bart_pg_levels {
    size_t n;
    size_t usual; /* rows of a level, as levels go */
    uint16_t *of; /* level of each row that was asked about */
    /* Scratch. */
    uint64_t *key; /* 3 x rows */
    struct cp_bart_pg_levels_block *block;
} cp_bart_pg_levels;

enum { CP_BART_PG_LEVELS_MAX = 1024 }; /* at most so many */

copse_status cp_bart_pg_levels_init(cp_bart_pg_levels *l, size_t rows, copse_error *err);
void cp_bart_pg_levels_clear(cp_bart_pg_levels *l);

/* One level for all. */
void cp_bart_pg_levels_none(cp_bart_pg_levels *l, cp_span rows);
void cp_bart_pg_levels_find(cp_bart_pg_levels *l, const cp_bart_view *v, cp_span rows, double price);

#endif
