#include "bart/core/bart_view.h"

#include <math.h>

#include "leaf/leaf_mean.h"
#include "num/math.h"
#include "num/special.h"

/* log of the integral of lambda^(-n/2) exp(-S / (2 lambda)) over the prior of lambda [Pratola, Chipman, George,
 * McCulloch 2020, section 3.2]. */
static double log_variance_leaf(const cp_bart_lambda *l, double n, double squares) {
    double shape = l->shape + 0.5 * n;
    return l->shape * cp_math_log(l->rate) - cp_special_log_gamma(l->shape) + cp_special_log_gamma(shape) -
           shape * cp_math_log(l->rate + 0.5 * fmax(0, squares));
}

double cp_bart_view_log_leaf(const cp_bart_view *v, double sum_w, double sum_wr) {
    if (!v->r) return 0;
    if (v->opt_lambda) return log_variance_leaf(v->opt_lambda, sum_w, sum_wr);
    return cp_leaf_mean_log(v->leaf_var, v->noise_var, sum_w, sum_wr);
}
