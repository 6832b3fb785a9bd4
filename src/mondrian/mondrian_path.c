#include "mondrian/mondrian_path.h"

#include <math.h>

/* The walk ends early once the probability of still being on the way is nothing: what would come after has weight 0. */
copse_status cp_mondrian_path_walk(cp_mondrian_path *p, const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                   const float *x, copse_error *err) {
    double since = 0, stay = 1;
    p->n = 0;
    p->first_off = SIZE_MAX;
    for (int32_t j = 0;;) {
        const cp_mondrian_node *n = &t->node[j];
        if (p->n == p->cap) CP_TRY(CP_GROW(p->step, p->cap, p->n + 1, err));
        cp_mondrian_step *step = &p->step[p->n];
        *step = (cp_mondrian_step){.node = j, .delta = n->time - since};
        step->outside = cp_mondrian_tree_outside(t, s, n, x);
        if (step->outside > 0) {
            double off = -expm1(-step->outside * step->delta);
            if (p->first_off == SIZE_MAX) p->first_off = p->n;
            step->weight = stay * off;
            stay *= exp(-step->outside * step->delta);
        }
        p->n++;
        if (cp_mondrian_is_leaf(n) || stay <= 0) break;
        since = n->time;
        j = x[n->dim] <= n->cut ? n->left : n->right;
    }
    if (p->first_off == SIZE_MAX) p->first_off = p->n;
    p->stay = stay;
    return COPSE_OK;
}

void cp_mondrian_path_clear(cp_mondrian_path *p) {
    cp_mem_free(p->step);
    *p = (cp_mondrian_path){0};
}
