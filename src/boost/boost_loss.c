#include "boost/boost_loss.h"

#include <math.h>

#include "boost/boost_quantile.h"
#include "num/math.h"

static double clamp(double f, double most) {
    return f > most ? most : f < -most ? -most : f;
}

size_t cp_boost_loss_heads(cp_boost_loss loss, size_t classes) {
    if (loss == CP_BOOST_SOFTMAX) return classes;
    if (loss == CP_BOOST_QUANTILE) return CP_BOOST_QUANTILES;
    return loss == CP_BOOST_GAUSSIAN ? 2 : 1;
}

double cp_boost_loss_sd(double f) {
    return cp_math_exp(clamp(f, CP_BOOST_MOST_LOG_SD));
}

/* The largest score is subtracted first, and differences are bounded, so that no probability is 0. */
void cp_boost_loss_probs(cp_boost_loss loss, const double *f, size_t heads, double *out_probs) {
    double most = f[0], sum = 0;
    if (loss == CP_BOOST_LOGISTIC) {
        double p = 1 / (1 + cp_math_exp(-clamp(f[0], CP_BOOST_MOST_LOGIT)));
        out_probs[1] = p;
        out_probs[0] = 1 - p;
        return;
    }
    for (size_t k = 1; k < heads; k++) most = f[k] > most ? f[k] : most;
    for (size_t k = 0; k < heads; k++) sum += out_probs[k] = cp_math_exp(clamp(f[k] - most, CP_BOOST_MOST_LOGIT));
    for (size_t k = 0; k < heads; k++) out_probs[k] /= sum;
}

static double softmax_loss(const double *f, size_t heads, int32_t label) {
    double most = f[0], sum = 0;
    for (size_t k = 1; k < heads; k++) most = f[k] > most ? f[k] : most;
    for (size_t k = 0; k < heads; k++) sum += cp_math_exp(clamp(f[k] - most, CP_BOOST_MOST_LOGIT));
    return cp_math_log(sum) - clamp(f[label] - most, CP_BOOST_MOST_LOGIT);
}

/* The mean over the levels of the pinball loss. */
static double quantile_loss(const double *f, size_t heads, double y) {
    double sum = 0;
    for (size_t k = 0; k < heads; k++) {
        double level = cp_boost_quantile_level(k), r = y - f[k];
        sum += r > 0 ? level * r : (level - 1) * r;
    }
    return sum / (double)heads;
}

/* Its derivatives times the number of levels.  The curvature only counts rows: leaves are quantiles themselves. */
static void quantile_slopes(const double *f, size_t heads, double y, double *out_slope, double *out_curve) {
    for (size_t k = 0; k < heads; k++) {
        out_slope[k] = (y < f[k]) - cp_boost_quantile_level(k);
        out_curve[k] = 1;
    }
}

double cp_boost_loss_value(cp_boost_loss loss, const double *f, size_t heads, cp_boost_target t) {
    double r = t.y - f[0];
    switch (loss) {
        case CP_BOOST_SQUARED: return r * r / 2;
        case CP_BOOST_GAUSSIAN: {
            double z = r / cp_boost_loss_sd(f[1]);
            return clamp(f[1], CP_BOOST_MOST_LOG_SD) + z * z / 2;
        }
        case CP_BOOST_LOGISTIC: {
            double z = clamp(t.label ? f[0] : -f[0], CP_BOOST_MOST_LOGIT);
            return cp_math_log1p(cp_math_exp(-z));
        }
        case CP_BOOST_QUANTILE: return quantile_loss(f, heads, t.y);
        case CP_BOOST_SPREAD: return clamp(f[0], CP_BOOST_MOST_LOG_SD) + fabs(t.y) / cp_boost_loss_sd(f[0]);
        default: return softmax_loss(f, heads, t.label);
    }
}

static void gaussian_slopes(const double *f, double y, double *out_slope, double *out_curve) {
    double precision = cp_math_exp(-2 * clamp(f[1], CP_BOOST_MOST_LOG_SD)), r = y - f[0];
    out_slope[0] = -r * precision;
    out_curve[0] = precision;
    out_slope[1] = 1 - r * r * precision;
    out_curve[1] = 2;
}

static void softmax_slopes(const double *f, size_t heads, int32_t label, double *out_slope, double *out_curve) {
    double factor = heads > 1 ? (double)heads / (double)(heads - 1) : 1, most = f[0], sum = 0;
    for (size_t k = 1; k < heads; k++) most = f[k] > most ? f[k] : most;
    for (size_t k = 0; k < heads; k++) sum += out_curve[k] = cp_math_exp(clamp(f[k] - most, CP_BOOST_MOST_LOGIT));
    for (size_t k = 0; k < heads; k++) {
        double p = out_curve[k] / sum;
        out_slope[k] = p - (label == (int32_t)k);
        out_curve[k] = factor * p * (1 - p);
    }
}

void cp_boost_loss_slopes(cp_boost_loss loss, const double *f, size_t heads, cp_boost_target t, double *out_slope,
                          double *out_curve) {
    double p;
    switch (loss) {
        case CP_BOOST_SQUARED:
            out_slope[0] = f[0] - t.y;
            out_curve[0] = 1;
            return;
        case CP_BOOST_GAUSSIAN: gaussian_slopes(f, t.y, out_slope, out_curve); return;
        case CP_BOOST_LOGISTIC:
            p = 1 / (1 + cp_math_exp(-clamp(f[0], CP_BOOST_MOST_LOGIT)));
            out_slope[0] = p - (t.label == 1);
            out_curve[0] = p * (1 - p);
            return;
        case CP_BOOST_QUANTILE: quantile_slopes(f, heads, t.y, out_slope, out_curve); return;
        case CP_BOOST_SPREAD: /* the Fisher information is 1 */
            out_slope[0] = 1 - fabs(t.y) / cp_boost_loss_sd(f[0]);
            out_curve[0] = 1;
            return;
        default: softmax_slopes(f, heads, t.label, out_slope, out_curve);
    }
}
