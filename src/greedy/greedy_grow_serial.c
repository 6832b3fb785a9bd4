#include "greedy/greedy_grow_serial.h"

#include "greedy/greedy_find.h"

/* A node of so many rows leaves the histograms for the sorted lists of greedy_cached.  The bound is lower where only
 * some columns are tried: all columns have to be sorted there. */
enum { SMALL = 1024, SMALL_OF_SOME = 256 };

/* How many rows a node may have to be grown in the cache.  Random cuts need no order, so they never are. */
static size_t local_limit(const cp_greedy_records *r, const cp_greedy_rule *rule) {
    if (rule->random_cuts || rule->max_leaves) return 0;
    if (!r->bin) return CP_GREEDY_CACHED_ROWS;
    return 2 * rule->features >= r->data->rows.dims ? SMALL : SMALL_OF_SOME;
}

copse_status cp_greedy_grow_serial_start(cp_greedy_grower *w, const cp_greedy_grow_context *p, size_t rows,
                                         cp_tree *tree, copse_error *err) {
    CP_TRY(cp_greedy_grower_init(w, p->records, p->rule, p->slot, tree, err));
    size_t limit = local_limit(p->records, p->rule);
    copse_status status = limit ? cp_greedy_cached_new(w, rows < limit ? rows : limit, err) : COPSE_OK;
    if (!status) status = cp_greedy_find_new(w, rows, err);
    if (status) cp_greedy_grower_clear(w);
    return status;
}

/* A stack of open nodes.  Of two children the smaller one is taken first, so it holds at most log2 of the rows. */
typedef struct stack {
    cp_greedy_frontier_node open[128];
    size_t n;
} stack;

copse_status cp_greedy_grow_serial(cp_greedy_grower *w, cp_greedy_frontier_node first, copse_error *err) {
    stack s = {.n = 1};
    s.open[0] = first;
    size_t local = local_limit(w->records, w->rule);
    while (s.n > 0) {
        cp_greedy_frontier_node o = s.open[--s.n], child[2];
        CP_TRY(cp_fail_if_stopped(w->records->stop, err));
        if (cp_greedy_grower_unqueried(w, o.query_rows)) {
            cp_greedy_find_drop_hist(w, &o);
            CP_TRY(cp_greedy_grower_abandon(w, o.node, err));
            continue;
        }
        if (o.hi - o.lo <= local) {
            cp_greedy_find_drop_hist(w, &o);
            CP_TRY(cp_greedy_cached_grow(w, &o, err));
            continue;
        }
        int found;
        CP_TRY(cp_greedy_find(w, &o, &found, err));
        if (!found) {
            cp_greedy_find_drop_hist(w, &o);
            CP_TRY(cp_greedy_find_close(w, &o, err));
            continue;
        }
        CP_TRY(cp_greedy_find_split(w, &o, child, err));
        int small = cp_greedy_frontier_node_rows(&child[0]) > cp_greedy_frontier_node_rows(&child[1]);
        CP_TRY(cp_greedy_find_hand_down(w, &o, &child[small], &child[!small], local, err));
        s.open[s.n++] = child[!small];
        s.open[s.n++] = child[small];
    }
    return COPSE_OK;
}
