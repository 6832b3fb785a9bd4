#include "greedy/greedy_down.h"

#include "greedy/greedy_find.h"

/* Rows of a node that leaves the histograms for the sorted lists of greedy_local; fewer if only some columns are tried,
 * since there all have to be sorted for the sake of some. */
enum { SMALL = 1024, SMALL_OF_SOME = 256 };

/* How many rows a node may have to be grown in the cache.  Random cuts need no order, so they never are. */
static size_t local_limit(const cp_records *r, const cp_greedy_rule *rule) {
    if (rule->random_cuts || rule->max_leaves) return 0;
    if (!r->bin) return CP_GREEDY_LOCAL;
    return 2 * rule->features >= r->data->rows.dims ? SMALL : SMALL_OF_SOME;
}

copse_status cp_greedy_down_start(cp_greedy_work *w, const cp_greedy_part *p, size_t rows, cp_tree *tree,
                                  copse_error *err) {
    CP_TRY(cp_greedy_work_init(w, p->records, p->rule, p->slot, tree, err));
    size_t limit = local_limit(p->records, p->rule);
    copse_status status = limit ? cp_greedy_local_new(w, rows < limit ? rows : limit, err) : COPSE_OK;
    if (!status) status = cp_greedy_find_new(w, rows, err);
    if (status) cp_greedy_work_clear(w);
    return status;
}

/* A stack of open nodes.  Of two children the smaller one is taken first, so it holds at most log2 of the rows. */
typedef struct stack {
    cp_greedy_open open[128];
    size_t n;
} stack;

copse_status cp_greedy_down_grow(cp_greedy_work *w, cp_greedy_open first, copse_error *err) {
    stack s = {.n = 1};
    s.open[0] = first;
    size_t local = local_limit(w->records, w->rule);
    while (s.n > 0) {
        cp_greedy_open o = s.open[--s.n], child[2];
        CP_TRY(cp_fail_if_stopped(w->records->stop, err));
        if (cp_greedy_work_unwanted(w, o.guests)) {
            cp_greedy_find_drop(w, &o);
            CP_TRY(cp_greedy_work_abandon(w, o.node, err));
            continue;
        }
        if (o.hi - o.lo <= local) {
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
        int small = cp_greedy_open_rows(&child[0]) > cp_greedy_open_rows(&child[1]);
        CP_TRY(cp_greedy_find_hand_down(w, &o, &child[small], &child[!small], local, err));
        s.open[s.n++] = child[!small];
        s.open[s.n++] = child[small];
    }
    return COPSE_OK;
}
