#include "greedy/greedy_find.h"

/* A node whose best split is known and not made yet. */
typedef struct candidate {
    cp_greedy_frontier_node open;
    cp_greedy_found found;
    double gain;
} candidate;

typedef struct heap {
    candidate *c;
    size_t n;
} heap;

static int comes_before(const candidate *a, const candidate *b) {
    return a->gain > b->gain || (a->gain == b->gain && a->open.node < b->open.node);
}

static void swap(candidate *a, candidate *b) {
    candidate c = *a;
    *a = *b;
    *b = c;
}

static void push(heap *h, candidate c) {
    size_t i = h->n++;
    h->c[i] = c;
    for (; i > 0 && comes_before(&h->c[i], &h->c[(i - 1) / 2]); i = (i - 1) / 2) swap(&h->c[i], &h->c[(i - 1) / 2]);
}

static candidate pop(heap *h) {
    candidate first = h->c[0];
    h->c[0] = h->c[--h->n];
    for (size_t i = 0;;) {
        size_t child = 2 * i + 1;
        if (child >= h->n) break;
        if (child + 1 < h->n && comes_before(&h->c[child + 1], &h->c[child])) child++;
        if (!comes_before(&h->c[child], &h->c[i])) break;
        swap(&h->c[child], &h->c[i]);
        i = child;
    }
    return first;
}

/* Finds the node's best split and puts it on the heap, or closes the node. */
static copse_status consider(cp_greedy_grower *w, cp_greedy_frontier_node o, heap *h, copse_error *err) {
    int found;
    CP_TRY(cp_fail_if_stopped(w->records->stop, err));
    CP_TRY(cp_greedy_find(w, &o, &found, err));
    if (!found) return cp_greedy_find_close(w, &o, err);
    candidate c = {.open = o, .gain = cp_greedy_grower_gain(w)};
    CP_TRY(cp_greedy_find_keep(w, &c.found, err));
    push(h, c);
    return COPSE_OK;
}

static copse_status split_best(cp_greedy_grower *w, heap *h, copse_error *err) {
    candidate c = pop(h);
    cp_greedy_frontier_node child[2];
    cp_greedy_find_recall(w, &c.found);
    CP_TRY(cp_greedy_find_split(w, &c.open, child, err));
    CP_TRY(consider(w, child[0], h, err));
    return consider(w, child[1], h, err);
}

copse_status cp_greedy_grow_best_first(cp_greedy_grower *w, cp_greedy_frontier_node root, copse_error *err) {
    size_t most = w->rule->max_leaves < root.hi ? w->rule->max_leaves : root.hi;
    heap h = {.c = cp_arena_get(&w->tmp, most + 1, sizeof *h.c)};
    if (!h.c) return cp_fail_memory(err);
    CP_TRY(consider(w, root, &h, err));
    for (size_t leaves = 1; leaves < most && h.n > 0; leaves++) CP_TRY(split_best(w, &h, err));
    while (h.n > 0) CP_TRY(cp_greedy_find_close(w, &h.c[--h.n].open, err));
    return COPSE_OK;
}
