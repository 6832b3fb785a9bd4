#include "mondrian/mondrian_gauss.h"

#include <math.h>
#include <string.h>

#include "mondrian/mondrian_bridge.h"
#include "mondrian/mondrian_honest.h"
#include "num/math.h"

/* ---------------------------------------------------------------------------------------------------------- moments */

cp_mondrian_stat cp_mondrian_gauss_leaf(const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                        const cp_mondrian_node *leaf) {
    cp_mondrian_stat sum = {.n = 0, .mean = 0, .m2 = 0};
    if (t->moments) return t->moments[leaf->moments];
    for (int32_t r = leaf->head; r != CP_NONE; r = t->next[r]) cp_mondrian_gauss_learn(&sum, s->y[r]);
    return sum;
}

static cp_mondrian_stat merge(cp_mondrian_stat a, cp_mondrian_stat b) {
    double n = a.n + b.n, off = b.mean - a.mean;
    return (cp_mondrian_stat){.n = n, .mean = a.mean + off * b.n / n, .m2 = a.m2 + b.m2 + off * off * a.n * b.n / n};
}

void cp_mondrian_gauss_set_moments(cp_mondrian_tree *t, const cp_mondrian_space *s, size_t j) {
    const cp_mondrian_node *n = &t->node[j];
    t->stat[j] =
        cp_mondrian_tree_is_leaf(n) ? cp_mondrian_gauss_leaf(t, s, n) : merge(t->stat[n->left], t->stat[n->right]);
}

void cp_mondrian_gauss_moments(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t node, size_t first_new) {
    for (size_t j = t->nodes; j-- > first_new;) cp_mondrian_gauss_set_moments(t, s, j);
    cp_mondrian_gauss_set_moments(t, s, (size_t)node);
}

/* ----------------------------------------------------------------------------------------------- belief propagation */

copse_status cp_mondrian_gauss_init(cp_mondrian_gauss_layout *c, const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                    copse_error *err) {
    *c = (cp_mondrian_gauss_layout){.nodes = t->nodes};
    copse_status status = COPSE_OK;
    int32_t *place = NULL;
    CP_TRY_OUT(CP_RAW(c->order, t->nodes, err));
    CP_TRY_OUT(CP_RAW(c->parent, t->nodes, err));
    CP_TRY_OUT(CP_RAW(c->time, t->nodes, err));
    CP_TRY_OUT(CP_NEW(c->leaf, t->nodes, err));
    CP_TRY_OUT(CP_RAW(c->up, t->nodes, err));
    CP_TRY_OUT(CP_RAW(c->var, t->nodes, err));
    CP_TRY_OUT(CP_RAW(c->fade, t->nodes, err));
    CP_TRY_OUT(CP_RAW(c->drift, t->nodes, err));
    CP_TRY_OUT(CP_RAW(place, t->nodes, err));
    cp_mondrian_tree_order(t, c->order);
    if (t->nodes) c->parent[0] = CP_NONE;
    for (size_t i = 0; i < t->nodes; i++) place[c->order[i]] = (int32_t)i;
    for (size_t i = 0; i < t->nodes; i++) {
        const cp_mondrian_node *n = &t->node[c->order[i]];
        c->time[i] = n->time;
        if (cp_mondrian_tree_is_leaf(n))
            c->leaf[i] = cp_mondrian_gauss_leaf(t, s, n);
        else
            c->parent[place[n->left]] = c->parent[place[n->right]] = (int32_t)i;
    }
out:
    cp_mem_free(place);
    if (status) cp_mondrian_gauss_clear(c);
    return status;
}

void cp_mondrian_gauss_clear(cp_mondrian_gauss_layout *c) {
    cp_mem_free(c->order);
    cp_mem_free(c->parent);
    cp_mem_free(c->time);
    cp_mem_free(c->leaf);
    cp_mem_free(c->up);
    cp_mem_free(c->var);
    cp_mem_free(c->fade);
    cp_mem_free(c->drift);
    *c = (cp_mondrian_gauss_layout){0};
}

/* Sets drift to (s(time) - s(since)) / gamma1, where `since` is the parent's time.  It is computed from 1 minus each
 * sigmoid, so that nothing cancels near 1.  A parent's exponential serves for its children, and both passes read the
 * drift: the exponentials take much of their time. */
static void set_drifts(cp_mondrian_gauss_layout *c, double gamma2) {
    for (size_t i = 0; i < c->nodes; i++) {
        int32_t p = c->parent[i];
        double since = p == CP_NONE ? 0 : c->time[p], a = p == CP_NONE ? 1 : c->fade[p];
        double b = c->fade[i] = cp_math_exp(-gamma2 * c->time[i]);
        c->drift[i] = -a * cp_math_expm1(-gamma2 * (c->time[i] - since)) / ((1 + a) * (1 + b));
    }
}

static const double log_2pi = 1.8378770664093454836;

/* The message of a node to its parent is, as a function of mu_parent, N(mu_parent; up, var).  Two messages combine as
 *     N(mu; a, u) N(mu; b, v) = N(a; b, u+v) N(mu; (a v + b u)/(u+v), u v/(u+v)). */
cp_mondrian_gauss_evidence cp_mondrian_gauss_up(cp_mondrian_gauss_layout *c, double gamma2, double noise_ratio) {
    cp_mondrian_gauss_evidence e = {0};
    set_drifts(c, gamma2);
    for (size_t i = 0; i < c->nodes; i++) c->var[i] = INFINITY; /* no message from below yet */
    for (size_t i = c->nodes; i-- > 0;) {
        const cp_mondrian_stat *leaf = &c->leaf[i];
        if (leaf->n > 0) {
            c->up[i] = leaf->mean;
            c->var[i] = noise_ratio / leaf->n;
            e.rows += leaf->n;
            e.base -= 0.5 * ((leaf->n - 1) * (log_2pi + cp_math_log(noise_ratio)) + cp_math_log(leaf->n));
            e.quad += leaf->m2 / noise_ratio;
        }
        double var = c->var[i] + c->drift[i];
        int32_t p = c->parent[i];
        if (p == CP_NONE) {
            e.up = c->up[i];
            e.spread = var;
            e.base -= 0.5 * (log_2pi + cp_math_log(var));
        } else if (isinf(c->var[p])) {
            c->up[p] = c->up[i];
            c->var[p] = var;
        } else {
            double sum = c->var[p] + var, off = c->up[p] - c->up[i];
            e.base -= 0.5 * (log_2pi + cp_math_log(sum));
            e.quad += off * off / sum;
            c->up[p] = (c->up[p] * var + c->up[i] * c->var[p]) / sum;
            c->var[p] = c->var[p] * var / sum;
        }
    }
    return e;
}

double cp_mondrian_gauss_log_marginal(const cp_mondrian_gauss_evidence *e, double gamma1, double mean) {
    double off = e->up - mean;
    return e->base - 0.5 * e->rows * cp_math_log(gamma1) - 0.5 * (e->quad + off * off / e->spread) / gamma1;
}

/* Given mu_parent and the message from the rows below (mean up, variance u), mu_j has mean g mu_parent + (1-g) up and
 * variance phi g, where g = u / (phi + u).  Averaged over the parent's posterior (m_p, V_p):
 *     m_j = g m_p + (1-g) up,   V_j = g^2 V_p + phi g,   Cov(mu_parent, mu_j) = g V_p. */
void cp_mondrian_gauss_down(const cp_mondrian_gauss_layout *c, const cp_mondrian_hyper *h, cp_mondrian_tree *t) {
    for (size_t i = 0; i < c->nodes; i++) {
        int32_t p = c->parent[i];
        double m = h->mean, v = 0;
        if (p != CP_NONE) {
            m = t->stat[c->order[p]].m;
            v = t->stat[c->order[p]].v;
        }
        double phi = h->gamma1 * c->drift[i], u = h->gamma1 * c->var[i];
        double g = u / (phi + u);
        t->stat[c->order[i]] =
            (cp_mondrian_stat){.m = g * m + (1 - g) * c->up[i], .v = g * g * v + phi * g, .c = g * v};
    }
}

cp_mondrian_hyper cp_mondrian_gauss_heuristic(size_t dims, double rows, double mean, double var) {
    double k = fmin(2000, 2 * rows);
    double least = fmax(1e-12, 1e-6 * var);
    double gamma1 = fmax(var, least) / (0.5 + 1 / k);
    return (cp_mondrian_hyper){
        .mean = mean,
        .gamma1 = gamma1,
        .gamma2 = (double)dims / (20 * fmax(1, cp_math_log2(rows))),
        .noise = gamma1 / k,
        .floor = least,
    };
}

/* ------------------------------------------------------------------------------------------------------- prediction */

static copse_status predict_exact(const cp_mondrian_gauss_sink *e, const cp_mondrian_tree *t,
                                  const cp_mondrian_space *s, const cp_mondrian_path *path, copse_error *err) {
    const cp_mondrian_hyper *h = e->h;
    double stop = cp_math_exp(-h->gamma2 * s->lifetime);
    for (size_t i = 0; i < path->branch_points; i++) {
        const cp_mondrian_branch_point *x = &path->branch_point[i];
        const cp_mondrian_stat *st = &t->stat[cp_mondrian_path_node(path, x->depth)];
        const cp_mondrian_stat *parent = x->depth ? &t->stat[cp_mondrian_path_node(path, x->depth - 1)] : NULL;
        double since = cp_mondrian_path_since(path, t, x->depth);
        cp_mondrian_bridge b = {.start = cp_math_exp(-h->gamma2 * since),
                                .stop = stop,
                                .fall = -cp_math_expm1(-h->gamma2 * x->delta),
                                .mp = parent ? parent->m : h->mean,
                                .vp = parent ? parent->v : 0,
                                .mj = st->m,
                                .vj = st->v,
                                .c = st->c};
        CP_TRY(cp_mondrian_bridge_emit(e, &b, x, err));
    }
    if (!(path->p_stay > 0)) return COPSE_OK;
    const cp_mondrian_stat *leaf = &t->stat[cp_mondrian_path_node(path, path->n - 1)];
    return cp_mondrian_bridge_add(e, path->p_stay, leaf->m, leaf->v + h->noise, err);
}

static copse_status add_rows_under(const cp_mondrian_gauss_sink *e, double weight, const cp_mondrian_stat *st,
                                   copse_error *err) {
    if (e->opt_size) *e->opt_size += e->weight * weight * cp_mondrian_honest_log2(st->n);
    return cp_mondrian_bridge_add(e, weight, st->mean, st->m2 / st->n + e->h->noise, err);
}

/* A point that branches off above j gets the mean and variance of the rows under j, plus the noise. */
static copse_status predict_fast(const cp_mondrian_gauss_sink *e, const cp_mondrian_tree *t,
                                 const cp_mondrian_path *path, copse_error *err) {
    for (size_t i = 0; i < path->branch_points; i++) {
        const cp_mondrian_branch_point *b = &path->branch_point[i];
        CP_TRY(add_rows_under(e, b->weight, &t->stat[cp_mondrian_path_node(path, b->depth)], err));
    }
    if (!(path->p_stay > 0)) return COPSE_OK;
    return add_rows_under(e, path->p_stay, &t->stat[cp_mondrian_path_node(path, path->n - 1)], err);
}

copse_status cp_mondrian_gauss_predict(const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                       const cp_mondrian_path *path, const cp_mondrian_gauss_sink *sink,
                                       copse_error *err) {
    const cp_mondrian_stat *leaf = &t->stat[cp_mondrian_path_node(path, path->n - 1)];
    cp_answer *out = sink->out;
    if (out->leaf) out->leaf[out->ended] += sink->weight * (sink->center + (s->keeps_moments ? leaf->mean : leaf->m));
    return s->keeps_moments ? predict_fast(sink, t, path, err) : predict_exact(sink, t, s, path, err);
}
