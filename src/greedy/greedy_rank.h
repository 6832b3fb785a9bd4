/* greedy_rank - the rank of each value among the different values of its column.  greedy_cached sorts the rows of small
 * nodes by it: a rank has 16 bits, so that takes two passes of a radix sort.  Only for data with so few rows that ranks
 * fit 16 bits. */
#ifndef CP_GREEDY_RANK_H
#define CP_GREEDY_RANK_H

#include "method/method.h"

enum {
    CP_GREEDY_RANK_NONE = 65535, /* the rank of a missing value */
    CP_GREEDY_RANK_ROWS = 65534  /* rows, at most */
};

typedef struct cp_greedy_rank {
    uint16_t *rank;  /* rows x dims, row-major; the rank of a category is its level; NULL: not computed */
    uint32_t *count; /* per column: ranks are below it, except CP_GREEDY_RANK_NONE */
} cp_greedy_rank;

/* The rank of a level.  Levels unseen in training count as missing; so do rare levels whose number does not fit. */
static inline uint32_t cp_greedy_rank_level(float code, uint32_t levels) {
    return code >= 0 && code < (float)levels && code < CP_GREEDY_RANK_NONE ? (uint32_t)code : CP_GREEDY_RANK_NONE;
}

copse_status cp_greedy_rank_init(cp_greedy_rank *r, const cp_rows *rows, const copse_run *run, copse_error *err);
void cp_greedy_rank_clear(cp_greedy_rank *r);

#endif
