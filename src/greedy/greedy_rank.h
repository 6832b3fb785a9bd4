/* greedy_rank - the place of each value among the different values of its column: what the rows of small nodes are
 * sorted by, in two passes over 8 bits each.  For data of so few rows that a place fits 16 bits. */
#ifndef CP_GREEDY_RANK_H
#define CP_GREEDY_RANK_H

#include "method/method.h"

enum { CP_GREEDY_RANK_NONE = 65535, CP_GREEDY_RANK_ROWS = 65534 }; /* of a missing value; rows that can be ranked */

typedef struct cp_greedy_rank {
    uint16_t *rank;  /* rows x dims, row-major; a category's is its level; NULL: there are none */
    uint32_t *count; /* per column: what they are below, missing values apart */
} cp_greedy_rank;

/* The rank of a level: one unseen in training is as good as none; so is one of the rare ones beyond what a rank
 * holds. */
static inline uint32_t cp_greedy_rank_level(float code, uint32_t levels) {
    return code >= 0 && code < (float)levels && code < CP_GREEDY_RANK_NONE ? (uint32_t)code : CP_GREEDY_RANK_NONE;
}

copse_status cp_greedy_rank_init(cp_greedy_rank *r, const cp_rows *rows, const copse_run *run, copse_error *err);
void cp_greedy_rank_clear(cp_greedy_rank *r);

#endif
