/* bart_level - residuals as levels: how many leaves it would take to explain rows, were it not for their features.
 *
 * Rows in the order of their residuals are cut into stretches such that the sum over stretches of log likelihood in one leaf,
 * less `price` for each, is greatest.  Where the noise is as large as what rows differ by, there is one level. */
#ifndef CP_BART_LEVEL_H
#define CP_BART_LEVEL_H

#include "bart/bart.h"

typedef struct cp_bart_levels {
    size_t n;
    uint16_t *of; /* level of each row that was asked about */
    /* Scratch. */
    uint64_t *key; /* 2 x rows */
    struct cp_bart_block *block;
} cp_bart_levels;

enum { CP_BART_LEVELS = 1024 }; /* at most so many */

copse_status cp_bart_levels_init(cp_bart_levels *l, size_t rows, copse_error *err);
void cp_bart_levels_clear(cp_bart_levels *l);

/* One level for all. */
void cp_bart_levels_none(cp_bart_levels *l, cp_span rows);
void cp_bart_levels_find(cp_bart_levels *l, const cp_bart_view *v, cp_span rows, double price);

#endif
