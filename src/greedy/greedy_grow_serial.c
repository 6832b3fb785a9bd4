#include "greedy/greedy_grow_serial.h"

#include "greedy/greedy_cached.h"
#include "greedy/greedy_hist.h"
#include "greedy/greedy_step.h"

/* A stack of open nodes.  The smaller child of a split is taken first, so the stack holds at most log2 of the rows. */
typedef struct stack {
    cp_greedy_node open[128];
    size_t n;
} stack;

/* A node whose steps need not be taken: it is abandoned, or grown in the cache. */
static copse_status grow_shortcut(cp_greedy_grower *w, cp_greedy_node *node, copse_error *err) {
    cp_greedy_hist_drop(w, node);
    if (cp_greedy_grower_is_unqueried(w, node->query_rows)) return cp_greedy_grower_abandon(w, node->id, err);
    return cp_greedy_cached_grow(w, node, err);
}

copse_status cp_greedy_grow_serial(cp_greedy_grower *w, cp_greedy_node root, copse_error *err) {
    stack s = {.n = 1};
    cp_greedy_step step; /* not cleared for each node: find, write and divide set all of it */
    s.open[0] = root;
    while (s.n > 0) {
        step.node = s.open[--s.n];
        CP_TRY(cp_fail_if_stopped(w->records->stop, err));
        if (cp_greedy_grower_is_unqueried(w, step.node.query_rows) ||
            cp_greedy_node_rows(&step.node) <= w->cached_rows) {
            CP_TRY(grow_shortcut(w, &step.node, err));
            continue;
        }
        CP_TRY(cp_greedy_step_find(w, &step, err));
        if (!step.is_split) {
            CP_TRY(cp_greedy_step_close(w, &step, err));
            continue;
        }
        CP_TRY(cp_greedy_step_write(w, &step, err));
        cp_greedy_step_divide(w, &step);
        CP_TRY(cp_greedy_step_hand_down(w, &step, w->cached_rows, err));
        const int smaller = cp_greedy_step_smaller(&step);
        s.open[s.n++] = step.child[!smaller];
        s.open[s.n++] = step.child[smaller];
    }
    return COPSE_OK;
}
