#include "greedy/greedy_votes.h"

#include "base/mem.h"

copse_status cp_greedy_votes_init(cp_greedy_class_votes *v, size_t n, size_t classes, copse_error *err) {
    *v = (cp_greedy_class_votes){.n = n, .classes = classes};
    CP_TRY(CP_NEW(v->probs, n * classes, err));
    CP_TRY(CP_NEW(v->squares, n, err));
    return CP_NEW(v->weight, n * classes, err);
}

void cp_greedy_votes_clear(cp_greedy_class_votes *v) {
    cp_mem_free(v->probs);
    cp_mem_free(v->weight);
    cp_mem_free(v->squares);
    *v = (cp_greedy_class_votes){0};
}

double cp_greedy_votes_add(const cp_tree *t, uint32_t leaf, double alpha, size_t classes, double *probs) {
    double total = alpha, even = alpha / (double)classes, squares = 0;
    uint32_t first = t->start[leaf], end = t->start[leaf + 1];
    for (uint32_t s = first; s < end; s++) total += (double)t->class_weight[s].weight;
    for (uint32_t s = first; s < end; s++) {
        double weight = (double)t->class_weight[s].weight;
        probs[t->class_weight[s].label] += weight / total;
        squares += (weight + even) * (weight + even);
    }
    if (alpha > 0)
        for (size_t k = 0; k < classes; k++) probs[k] += alpha / total / (double)classes;
    return (squares + (double)(classes - (end - first)) * even * even) / (total * total);
}

double cp_greedy_votes_brier(const cp_greedy_class_votes *v, size_t i, double votes, double fewer, double *total) {
    const double *probs = v->probs + i * v->classes, *weight = v->weight + i * v->classes;
    double length = 0, sum = 0;
    for (size_t k = 0; k < v->classes; k++) length += probs[k] / votes * (probs[k] / votes);
    double between = (v->squares[i] - votes * length) / (votes - 1);
    for (size_t k = 0; k < v->classes; k++) {
        sum += weight[k] * (length - 2 * probs[k] / votes + 1 - fewer * between);
        *total += weight[k];
    }
    return sum;
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
