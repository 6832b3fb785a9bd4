#include "bart/core/bart_view.h"
#include "leaf/leaf_mean.h"

double cp_bart_view_log_leaf(const cp_bart_view *v, double sum_w, double sum_wr) {
    return v->r ? cp_leaf_mean_log(v->leaf_var, v->noise_var, sum_w, sum_wr) : 0;
}
