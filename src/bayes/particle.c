/* Every scheme lays the weights end to end on a line and puts points on it; a particle is copied once for each point in
 * its interval.  The schemes differ in how the points are drawn.  Residual resampling first takes from each interval
 * the part of its certain copies, floor(n w / sum w). */
#include "bayes/particle.h"

#include <math.h>

#include "num/draw.h"
#include "num/math.h"
#include "num/special.h"

double cp_particle_log_mean(const double *log_w, size_t n) {
    return cp_special_log_sum_exp(log_w, n) - cp_math_log((double)n);
}

static double greatest(const double *v, size_t n) {
    double top = -INFINITY;
    for (size_t i = 0; i < n; i++) top = v[i] > top ? v[i] : top;
    return top;
}

double cp_particle_ess(const double *log_w, size_t n) {
    double top = greatest(log_w, n), sum = 0, squares = 0;
    if (isinf(top)) return 0;
    for (size_t i = 0; i < n; i++) {
        double w = cp_math_exp(log_w[i] - top);
        sum += w;
        squares += w * w;
    }
    return sum * sum / squares;
}

/* Draws points in rising order on (0,1). */
static void place_points(cp_resampling scheme, size_t n, cp_rng *rng, double *out) {
    double count = (double)n, sum = 0;
    switch (scheme) {
        case CP_RESAMPLE_SYSTEMATIC: {
            double u = cp_rng_unit(rng);
            for (size_t i = 0; i < n; i++) out[i] = ((double)i + u) / count;
            return;
        }
        case CP_RESAMPLE_STRATIFIED:
            for (size_t i = 0; i < n; i++) out[i] = ((double)i + cp_rng_unit(rng)) / count;
            return;
        case CP_RESAMPLE_MULTINOMIAL:
        case CP_RESAMPLE_RESIDUAL:
            /* The first n arrivals of a Poisson process, divided by arrival n + 1, are sorted uniforms. */
            for (size_t i = 0; i < n; i++) out[i] = sum += cp_draw_exp(rng);
            sum += cp_draw_exp(rng);
            for (size_t i = 0; i < n; i++) out[i] /= sum;
            return;
    }
}

/* Copies of a particle that residual resampling makes without drawing. */
static size_t certain_copies(double w, double sum, size_t n) {
    return (size_t)floor((double)n * (w / sum));
}

/* Replaces the weights by the ends of their intervals.  Returns the length of the line. */
static double lay_out(double *w, size_t n, double sum, size_t certain_of) {
    double at = 0;
    for (size_t j = 0; j < n; j++) {
        double taken = certain_of ? (double)certain_copies(w[j], sum, certain_of) * (sum / (double)certain_of) : 0;
        w[j] = at += fmax(0, w[j] - taken);
    }
    return at;
}

void cp_particle_resample(cp_resampling scheme, const double *log_w, size_t n, cp_rng *rng, double *tmp,
                          uint32_t *out_parent) {
    double *end = tmp, *point = tmp + n, top = greatest(log_w, n), sum = 0;
    size_t residual = scheme == CP_RESAMPLE_RESIDUAL ? n : 0, points = n, last = 0, made = 0;
    for (size_t j = 0; j < n; j++) {
        sum += end[j] = cp_math_exp(log_w[j] - top);
        if (end[j] > 0) last = j;
    }
    if (residual)
        for (size_t j = 0; j < n; j++) points -= certain_copies(end[j], sum, n);
    double line = lay_out(end, n, sum, residual);
    place_points(scheme, points, rng, point);
    for (size_t j = 0, at = 0; j < n; j++) {
        size_t copies = residual ? certain_copies(cp_math_exp(log_w[j] - top), sum, n) : 0;
        for (; at < points && (point[at] * line < end[j] || j == last); at++) copies++;
        while (copies--) out_parent[made++] = (uint32_t)j;
    }
}
