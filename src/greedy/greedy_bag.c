#include "greedy/greedy_bag.h"

#include "base/mem.h"

enum { ENOUGH = 2000, LOOK_AT = 8000 /* groups; their order is random */ };

static void set_bit(uint64_t *bits, size_t i) {
    bits[i / 64] |= (uint64_t)1 << i % 64;
}

static int has_bit(const uint64_t *bits, size_t i) {
    return (int)(bits[i / 64] >> i % 64 & 1);
}

copse_status cp_greedy_bag_init(cp_greedy_bag *bag, size_t rows, size_t trees, const cp_row_groups *groups,
                                copse_error *err) {
    *bag = (cp_greedy_bag){.words = (rows + 63) / 64, .trees = trees, .groups = groups};
    CP_TRY(CP_NEW(bag->bit, bag->words * trees, err));
    if (groups->groups == groups->rows) return COPSE_OK;
    CP_TRY(CP_NEW(bag->group, rows, err));
    for (size_t k = 0; k < groups->groups; k++)
        for (size_t i = groups->start[k]; i < groups->start[k + 1]; i++) bag->group[groups->row[i]] = (uint32_t)k;
    return COPSE_OK;
}

copse_status cp_greedy_bag_fill(const cp_greedy_bag *bag, size_t m, const double *weight, copse_error *err) {
    const cp_row_groups *g = bag->groups;
    uint64_t *bits = bag->bit + m * bag->words, *seen;
    if (!bag->group) {
        for (size_t i = 0; i < g->rows; i++)
            if (weight[g->row[i]] > 0) set_bit(bits, g->row[i]);
        return COPSE_OK;
    }
    CP_TRY(CP_NEW(seen, g->groups / 64 + 1, err));
    for (size_t i = 0; i < g->rows; i++)
        if (weight[g->row[i]] > 0) set_bit(seen, bag->group[g->row[i]]);
    for (size_t i = 0; i < g->rows; i++)
        if (has_bit(seen, bag->group[g->row[i]])) set_bit(bits, g->row[i]);
    cp_mem_free(seen);
    return COPSE_OK;
}

int cp_greedy_bag_is_enough(const cp_greedy_bag *bag) {
    const cp_row_groups *g = bag->groups;
    if (!bag->group) return 1;
    size_t looked = g->groups < LOOK_AT ? g->groups : LOOK_AT, good = 0;
    for (size_t k = 0; k < looked; k++) {
        size_t row = g->row[g->start[k]], votes = 0;
        for (size_t m = 0; m < bag->trees; m++) votes += !has_bit(bag->bit + m * bag->words, row);
        good += votes > 0 && 10 * votes >= bag->trees;
    }
    return 2 * good >= g->groups || good >= ENOUGH;
}

void cp_greedy_bag_clear(cp_greedy_bag *bag) {
    cp_mem_free(bag->bit);
    cp_mem_free(bag->group);
    *bag = (cp_greedy_bag){0};
}
