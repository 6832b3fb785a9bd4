#include "greedy/greedy_grow_best_first.h"

#include "greedy/greedy_step.h"

/* Nodes whose best split is found and not made yet. */
typedef struct heap {
    cp_greedy_step *step;
    size_t n;
} heap;

static int comes_before(const cp_greedy_step *a, const cp_greedy_step *b) {
    return a->gain > b->gain || (a->gain == b->gain && a->node.id < b->node.id);
}

static void swap(cp_greedy_step *a, cp_greedy_step *b) {
    cp_greedy_step c = *a;
    *a = *b;
    *b = c;
}

static void push(heap *h, cp_greedy_step s) {
    size_t i = h->n++;
    h->step[i] = s;
    for (; i > 0 && comes_before(&h->step[i], &h->step[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&h->step[i], &h->step[(i - 1) / 2]);
}

static cp_greedy_step pop(heap *h) {
    cp_greedy_step first = h->step[0];
    h->step[0] = h->step[--h->n];
    for (size_t i = 0;;) {
        size_t child = 2 * i + 1;
        if (child >= h->n) break;
        if (child + 1 < h->n && comes_before(&h->step[child + 1], &h->step[child])) child++;
        if (!comes_before(&h->step[child], &h->step[i])) break;
        swap(&h->step[child], &h->step[i]);
        i = child;
    }
    return first;
}

/* Finds the node's best split and puts it on the heap, or closes the node. */
static copse_status consider(cp_greedy_grower *w, cp_greedy_node node, heap *h, copse_error *err) {
    cp_greedy_step s = {.node = node};
    CP_TRY(cp_fail_if_stopped(w->records->stop, err));
    CP_TRY(cp_greedy_step_find(w, &s, err));
    if (!s.is_split) return cp_greedy_step_close(w, &s, err);
    CP_TRY(cp_greedy_step_keep(w, &s, err));
    push(h, s);
    return COPSE_OK;
}

static copse_status split_best(cp_greedy_grower *w, heap *h, copse_error *err) {
    cp_greedy_step s = pop(h);
    CP_TRY(cp_greedy_step_write(w, &s, err));
    cp_greedy_step_divide(w, &s);
    CP_TRY(consider(w, s.child[0], h, err));
    return consider(w, s.child[1], h, err);
}

copse_status cp_greedy_grow_best_first(cp_greedy_grower *w, cp_greedy_node root, copse_error *err) {
    size_t most = w->rule->max_leaves < root.hi ? w->rule->max_leaves : root.hi;
    heap h = {.step = cp_arena_get(&w->arena, most + 1, sizeof *h.step)};
    if (!h.step) return cp_fail_memory(err);
    CP_TRY(consider(w, root, &h, err));
    for (size_t leaves = 1; leaves < most && h.n > 0; leaves++) CP_TRY(split_best(w, &h, err));
    while (h.n > 0) CP_TRY(cp_greedy_step_close(w, &h.step[--h.n], err));
    return COPSE_OK;
}
