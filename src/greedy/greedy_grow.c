/* Large nodes, and the order of work.
 *
 * From the root down, a node of many rows is split by passes over its records.  Nodes of at most BRANCH rows are then
 * grown by themselves, each into a tree of its own, on whatever thread is free, and grafted in a fixed order: which nodes
 * these are depends on the data alone, never on the number of threads. */
#include "greedy/greedy_grow.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "greedy/greedy_find.h"

enum {
    /* Rows of a node that leaves the histograms for the sorted lists of greedy_local; fewer if only some columns are
     * tried, since there all have to be sorted for the sake of some. */
    SMALL = 1024,
    SMALL_OF_SOME = 256,
    BRANCH = 65536 /* rows of a node that is worth a thread */
};

/* ---------------------------------------------------------------------------------------------------------------- data */

copse_status cp_greedy_data_init(cp_greedy_data *d, const cp_rows *rows, int binned, const copse_run *run,
                                 copse_error *err) {
    *d = (cp_greedy_data){.rows = *rows, .scale = 1};
    if (rows->y) {
        double low = rows->y[0], high = rows->y[0];
        for (size_t i = 1; i < rows->n; i++) {
            low = fmin(low, rows->y[i]);
            high = fmax(high, rows->y[i]);
        }
        d->centre = low / 2 + high / 2;
        if (high > low) d->scale = exp2(ceil(log2(fmax(high / 2 - low / 2, DBL_MIN))));
    }
    return binned ? cp_bins_init(&d->bins, rows->x, rows->n, rows->dims, rows->levels, run, err) : COPSE_OK;
}

void cp_greedy_data_clear(cp_greedy_data *d) {
    cp_bins_clear(&d->bins);
}

/* ------------------------------------------------------------------------------------------------------- one open node */

/* How many rows a node may have to be grown in the cache.  Random cuts need no order, so they never are. */
static size_t local_limit(const cp_records *r, const cp_greedy_rule *rule) {
    if (rule->random_cuts || rule->max_leaves) return 0;
    if (!r->bin) return CP_GREEDY_LOCAL;
    return 2 * rule->features >= r->data->rows.dims ? SMALL : SMALL_OF_SOME;
}

/* --------------------------------------------------------------------------------------------------------- depth first */

/* A stack of open nodes.  Of two children the smaller one is taken first, so it holds at most log2 of the rows. */
typedef struct stack {
    cp_greedy_open open[128];
    size_t n;
} stack;

/* Grows below `first` until nodes have at most `until` rows; those are left to `wait`, if there is one. */
static copse_status grow_down(cp_greedy_work *w, cp_greedy_open first, size_t until, cp_greedy_waiting *wait,
                              copse_error *err) {
    stack s = {.n = 1};
    s.open[0] = first;
    size_t local = local_limit(w->records, w->rule);
    while (s.n > 0) {
        cp_greedy_open o = s.open[--s.n], child[2];
        size_t n = o.hi - o.lo;
        CP_TRY(cp_fail_if_stopped(w->records->stop, err));
        if (wait && n <= until) {
            CP_TRY(cp_greedy_find_wait(w, wait, &o, err));
            continue;
        }
        if (n <= local) {
            cp_greedy_find_drop(w, &o);
            CP_TRY(cp_greedy_local_grow(w, &o, err));
            continue;
        }
        int found;
        CP_TRY(cp_greedy_find(w, &o, &found, err));
        if (!found) {
            cp_greedy_find_drop(w, &o);
            CP_TRY(cp_greedy_find_close(w, &o, err));
            continue;
        }
        CP_TRY(cp_greedy_find_split(w, &o, child, err));
        int small = child[0].hi - child[0].lo > child[1].hi - child[1].lo;
        CP_TRY(cp_greedy_find_hand_down(w, &o, &child[small], &child[!small], local, err));
        s.open[s.n++] = child[!small];
        s.open[s.n++] = child[small];
    }
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------------ branches */

typedef struct branches {
    cp_records *records;
    const cp_greedy_rule *rule;
    uint32_t slot;
    cp_greedy_waiting wait;
    cp_tree *tree; /* one per branch */
} branches;

static copse_status start_work(cp_greedy_work *w, cp_records *r, const cp_greedy_rule *rule, uint32_t slot, size_t rows,
                               cp_tree *tree, copse_error *err) {
    CP_TRY(cp_tree_init_root(tree, err));
    CP_TRY(cp_greedy_work_init(w, r, rule, slot, tree, err));
    size_t limit = local_limit(r, rule);
    copse_status status = limit ? cp_greedy_local_new(w, rows < limit ? rows : limit, err) : COPSE_OK;
    if (!status) status = cp_greedy_find_new(w, rows, err);
    if (status) cp_greedy_work_clear(w);
    return status;
}

static copse_status grow_branch(void *arg, size_t i, size_t worker, copse_error *err) {
    branches *b = arg;
    (void)worker;
    cp_greedy_work w;
    cp_greedy_open o = b->wait.open[i];
    o.node = 0;
    CP_TRY(start_work(&w, b->records, b->rule, b->slot, o.hi - o.lo, &b->tree[i], err));
    copse_status status = grow_down(&w, o, 0, NULL, err);
    cp_greedy_work_clear(&w);
    return status;
}

static copse_status graft_branches(branches *b, cp_tree *out, size_t dims, copse_error *err) {
    for (size_t i = 0; i < b->wait.n; i++) {
        CP_TRY(cp_tree_graft(out, b->wait.open[i].node, &b->tree[i], dims, err));
        cp_tree_clear(&b->tree[i]);
    }
    return COPSE_OK;
}

/* The top on this thread, the branches on any. */
static copse_status grow_apart(cp_records *r, const cp_greedy_rule *rule, const cp_greedy_job *job,
                               const copse_run *run, cp_tree *out, copse_error *err) {
    branches b = {.records = r, .rule = rule, .slot = job->slot};
    cp_greedy_work w;
    CP_TRY(start_work(&w, r, rule, job->slot, r->n, out, err));
    cp_greedy_open root = {.hi = r->n, .path = job->root};
    copse_status status = grow_down(&w, root, BRANCH, &b.wait, err);
    cp_greedy_work_clear(&w);
    if (!status) status = CP_NEW(b.tree, b.wait.n, err);
    if (!status) status = cp_pool_for(run, cp_pool_workers(run, b.wait.n), b.wait.n, NULL, grow_branch, &b, err);
    if (!status) status = graft_branches(&b, out, r->data->rows.dims, err);
    for (size_t i = 0; b.tree && i < b.wait.n; i++) cp_tree_clear(&b.tree[i]);
    cp_mem_free(b.tree);
    cp_mem_free(b.wait.open);
    return status;
}

static copse_status grow_whole(cp_records *r, const cp_greedy_rule *rule, const cp_greedy_job *job, cp_tree *out,
                               copse_error *err) {
    cp_greedy_work w;
    CP_TRY(start_work(&w, r, rule, job->slot, r->n, out, err));
    cp_greedy_open root = {.hi = r->n, .path = job->root};
    copse_status status =
        rule->max_leaves ? cp_greedy_grow_best_first(&w, root, err) : grow_down(&w, root, 0, NULL, err);
    cp_greedy_work_clear(&w);
    return status;
}

copse_status cp_greedy_grow(const cp_greedy_data *d, const cp_greedy_rule *rule, const cp_greedy_job *job,
                            const copse_run *run, cp_tree *out, copse_error *err) {
    cp_records r;
    CP_TRY(cp_records_init(&r, d, rule, job, err));
    r.stop = run ? run->stop : NULL;
    copse_status status = r.n > BRANCH && !rule->max_leaves ? grow_apart(&r, rule, job, run, out, err)
                                                            : grow_whole(&r, rule, job, out, err);
    cp_records_clear(&r);
    if (!status) status = cp_tree_finish(out, err);
    if (status) cp_tree_clear(out);
    return status;
}
