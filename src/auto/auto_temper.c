#include "auto/auto_temper.h"

#include "num/math.h"

void cp_auto_temper(double *p, size_t n, double t) {
    double most = 0, sum = 0;
    if (t == 1) return;
    for (size_t k = 0; k < n; k++) most = p[k] > most ? p[k] : most;
    if (!(most > 0)) return;
    for (size_t k = 0; k < n; k++) {
        p[k] = p[k] > 0 ? cp_math_exp(cp_math_log(p[k] / most) / t) : 0;
        sum += p[k];
    }
    for (size_t k = 0; k < n; k++) p[k] /= sum;
}
