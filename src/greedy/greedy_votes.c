#include "greedy/greedy_votes.h"

#include "base/mem.h"

copse_status cp_greedy_votes_init(cp_greedy_class_votes *v, size_t n, size_t classes, copse_error *err) {
    *v = (cp_greedy_class_votes){.n = n, .classes = classes};
    CP_TRY(CP_NEW(v->probs, n * classes, err));
    return CP_NEW(v->weight, n * classes, err);
}

void cp_greedy_votes_clear(cp_greedy_class_votes *v) {
    cp_mem_free(v->probs);
    cp_mem_free(v->weight);
    *v = (cp_greedy_class_votes){0};
}

void cp_greedy_votes_add(const cp_tree *t, uint32_t leaf, double alpha, size_t classes, double *probs) {
    double total = alpha;
    for (uint32_t s = t->start[leaf]; s < t->start[leaf + 1]; s++) total += (double)t->class_weight[s].weight;
    for (uint32_t s = t->start[leaf]; s < t->start[leaf + 1]; s++)
        probs[t->class_weight[s].label] += (double)t->class_weight[s].weight / total;
    if (alpha > 0)
        for (size_t k = 0; k < classes; k++) probs[k] += alpha / total / (double)classes;
}

copse_status cp_greedy_votes_fit(const cp_greedy_class_votes *v, double votes, double copies, cp_greedy *g,
                                 copse_error *err) {
    const cp_temperature_unseen u = {.probs = v->probs,
                                     .n = v->n,
                                     .weight = v->weight,
                                     .copies = copies,
                                     .votes = votes,
                                     .trees = (double)g->forest.trees};
    return cp_temperature_fit(&g->temperature, &u, err);
}
