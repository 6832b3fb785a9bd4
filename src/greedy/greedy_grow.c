#include "greedy/greedy_grow.h"

#include <math.h>

#include "greedy/greedy_grow_best_first.h"
#include "greedy/greedy_grow_parallel.h"
#include "greedy/greedy_grow_serial.h"
#include "greedy/greedy_step.h"
#include "num/math.h"

/* ------------------------------------------------------------------------------------------------------------- data */

copse_status cp_greedy_grow_data_init(cp_greedy_data *d, const cp_rows *rows, int binned, const copse_run *run,
                                      copse_error *err) {
    *d = (cp_greedy_data){.rows = *rows, .scale = 1};
    if (rows->y) {
        double low = rows->y[0], high = rows->y[0];
        for (size_t i = 1; i < rows->n; i++) {
            low = rows->y[i] < low ? rows->y[i] : low;
            high = rows->y[i] > high ? rows->y[i] : high;
        }
        d->centre = low / 2 + high / 2;
        if (high > low) d->scale = cp_math_exp2(ceil(cp_math_log2(fmax(high / 2 - low / 2, CP_FOREST_LEAST_SCALE))));
    }
    return binned ? cp_bins_init(&d->bins, &(cp_bins_data){rows->x, rows->n, rows->dims, rows->levels}, run, err)
                  : COPSE_OK;
}

copse_status cp_greedy_grow_data_rank(cp_greedy_data *d, const copse_run *run, copse_error *err) {
    return d->rows.n <= CP_GREEDY_RANK_ROWS ? cp_greedy_rank_init(&d->rank, &d->rows, run, err) : COPSE_OK;
}

void cp_greedy_grow_data_clear(cp_greedy_data *d) {
    cp_greedy_rank_clear(&d->rank);
    cp_bins_clear(&d->bins);
}

/* ---------------------------------------------------------------------------------------------------------- growing */

static copse_status grow_on_one_thread(const cp_greedy_context *context, cp_greedy_node root, cp_tree *out,
                                       copse_error *err) {
    cp_greedy_grower w;
    CP_TRY(cp_tree_init_root(out, err));
    CP_TRY(cp_greedy_step_init(&w, context, root.hi, out, err));
    copse_status status =
        context->rule->max_leaves ? cp_greedy_grow_best_first(&w, root, err) : cp_greedy_grow_serial(&w, root, err);
    cp_greedy_grower_clear(&w);
    return status;
}

copse_status cp_greedy_grow(const cp_greedy_data *d, const cp_greedy_rule *rule, const cp_greedy_job *job,
                            const copse_run *run, cp_tree *out, copse_error *err) {
    cp_greedy_records r;
    CP_TRY(cp_greedy_records_init(&r, d, rule, job, run, err));
    const cp_greedy_context context = {&r, rule, job->slot, job->idle};
    cp_greedy_node root = {.hi = r.n, .path = job->root, .query_rows = {.hi = (uint32_t)job->query_rows}};
    copse_status status = r.n > CP_GREEDY_GROW_SERIAL_ROWS && !rule->max_leaves
                              ? cp_greedy_grow_parallel(&context, root, run, out, err)
                              : grow_on_one_thread(&context, root, out, err);
    cp_greedy_records_clear(&r);
    if (!status) status = cp_tree_finish(out, err);
    if (status) cp_tree_clear(out);
    return status;
}
