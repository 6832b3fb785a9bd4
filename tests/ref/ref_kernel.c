#include "ref/ref_kernel.h"

#include "check.h"
#include "ref/ref_btree.h"

static const double alpha = 2, kappa = .3, nu = 3, lambda = .7;

void ref_world_init(ref_world *w, const ref_case *c) {
    copse_error err;
    *w = (ref_world){.of = c};
    must(cp_ranks_init(&w->ranks, c->x, c->rows, c->dims, NULL, &err), err);
    if (c->classes)
        must(cp_leaf_dirichlet_init(&w->leaf, c->label, c->rows, c->classes, alpha, &err), err);
    else
        must(cp_leaf_nig_init(&w->leaf, c->y, c->rows, (cp_leaf_nig_prior){kappa, nu, lambda}, &err), err);
    cp_moves_tree_model_init(&w->model, &w->ranks, &w->leaf, c->prior);
    must(cp_moves_init(&w->moves, &w->model, c->share, &err), err);
    must(cp_moves_tree_init(&w->tree, &w->model, &err), err);
}

void ref_world_clear(ref_world *w) {
    cp_moves_tree_clear(&w->tree);
    cp_moves_clear(&w->moves);
    cp_leaf_clear(&w->leaf);
    cp_ranks_clear(&w->ranks);
}

static const char *plant_below(ref_world *w, int32_t node, const char *code) {
    copse_error err;
    if (*code == '.') return code + 1;
    cp_move move = {CP_MOVE_GROW, node, {(uint32_t)(code[0] - 'a'), (uint32_t)(code[1] - '0')}};
    must(cp_moves_reserve(&w->moves, &w->tree, w->tree.pairs + 1, &err), err);
    assert_true(isfinite(cp_moves_log_ratio(&w->moves, &w->tree, &move)));
    cp_moves_apply(&w->moves, &w->tree, &move);
    int32_t left = w->tree.node[node].left;
    code = plant_below(w, left, code + 2);
    return plant_below(w, left + 1, code);
}

void ref_world_plant(ref_world *w, const char *code) {
    copse_error err;
    cp_moves_tree_reset(&w->tree, &w->model);
    assert_int_equal(*plant_below(w, 0, code), '\0');
    must(cp_moves_reserve(&w->moves, &w->tree, w->tree.pairs + 1, &err), err);
}

void ref_world_code(const ref_world *w, char out[REF_CODE]) {
    const cp_moves_tree *t = &w->tree;
    size_t n = 0;
    for (int32_t u = 0; u != CP_NONE; u = cp_moves_tree_next(t, u, 0)) {
        assert_true(n + 3 < REF_CODE);
        if (cp_moves_tree_is_leaf(t, u)) {
            out[n++] = '.';
            continue;
        }
        out[n++] = (char)('a' + (int)t->node[u].rule.dim);
        out[n++] = (char)('0' + (int)t->node[u].rule.cell);
    }
    out[n] = '\0';
}

/* ------------------------------------------------------------------------------------------------------------ rules */

/* Distinct values of a column, rising. */
static size_t values_of(const ref_case *c, size_t dim, float out[REF_ROWS]) {
    size_t n = 0;
    for (size_t i = 0; i < c->rows; i++) {
        float v = c->x[i * c->dims + dim];
        size_t at = 0;
        while (at < n && out[at] < v) at++;
        if (at < n && out[at] == v) continue;
        for (size_t j = n++; j > at; j--) out[j] = out[j - 1];
        out[at] = v;
    }
    return n;
}

static void bounds_of(const ref_case *c, unsigned rows, size_t dim, double *low, double *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < c->rows; i++) {
        if (!(rows >> i & 1)) continue;
        *low = fmin(*low, (double)c->x[i * c->dims + dim]);
        *high = fmax(*high, (double)c->x[i * c->dims + dim]);
    }
}

static size_t columns_of(const ref_case *c, unsigned rows) {
    size_t n = 0;
    for (size_t d = 0; d < c->dims; d++) {
        double low, high;
        bounds_of(c, rows, d, &low, &high);
        n += low < high;
    }
    return n;
}

static unsigned left_of(const ref_case *c, unsigned rows, cp_rule rule) {
    float v[REF_ROWS];
    unsigned left = 0;
    values_of(c, rule.dim, v);
    for (size_t i = 0; i < c->rows; i++)
        if ((rows >> i & 1) && c->x[i * c->dims + rule.dim] <= v[rule.cell]) left |= 1U << i;
    return left;
}

static double rule_prob(const ref_case *c, unsigned rows, cp_rule rule) {
    float v[REF_ROWS];
    double low, high;
    values_of(c, rule.dim, v);
    bounds_of(c, rows, rule.dim, &low, &high);
    unsigned left = left_of(c, rows, rule);
    if (!left || left == rows) return 0;
    return (double)(v[rule.cell + 1] - v[rule.cell]) / (high - low) / (double)columns_of(c, rows);
}

double ref_rule_prob(const ref_world *w, unsigned rows, cp_rule rule) {
    return rule_prob(w->of, rows, rule);
}

unsigned ref_rows_of(const ref_world *w, int32_t node) {
    cp_span s = cp_moves_tree_span(&w->tree, node);
    unsigned rows = 0;
    for (size_t i = 0; i < s.n; i++) rows |= 1U << s.row[i];
    return rows;
}

/* ------------------------------------------------------------------------------------------------------ enumeration */

typedef struct entry {
    char code[REF_CODE];
    double log_prior, log_posterior;
} entry;

static char *code_below(const ref_btree_tree *t, int node, char *out) {
    const ref_btree_node *n = &t->node[node];
    if (n->dim < 0) {
        *out++ = '.';
        return out;
    }
    *out++ = (char)('a' + n->dim);
    *out++ = (char)('0' + (int)n->cell);
    return code_below(t, n->right, code_below(t, n->left, out));
}

static entry *list_trees(const ref_case *c, size_t *out_n) {
    ref_btree b = {.n = c->rows,
                   .dims = c->dims,
                   .x = c->x,
                   .alpha_split = c->prior.alpha,
                   .beta_split = c->prior.beta,
                   .classes = c->classes,
                   .label = c->label,
                   .alpha = alpha,
                   .y = c->y,
                   .kappa = kappa,
                   .nu = nu,
                   .lambda = lambda};
    ref_btree_list all = ref_btree_all(&b, REF_BTREE_CELLS);
    entry *e = calloc(all.n, sizeof *e);
    assert_non_null(e);
    for (size_t i = 0; i < all.n; i++) {
        assert_true(3 * all.tree[i].nodes / 2 + 1 < REF_CODE);
        *code_below(&all.tree[i], 0, e[i].code) = '\0';
        e[i].log_prior = all.tree[i].log_prior;
        e[i].log_posterior = all.tree[i].log_prior + all.tree[i].log_likelihood;
    }
    *out_n = all.n;
    free(all.tree);
    return e;
}

static int by_code(const void *a, const void *b) {
    return strcmp(((const entry *)a)->code, ((const entry *)b)->code);
}

size_t ref_kernel_find(const ref_kernel *k, const char *code) {
    size_t low = 0, high = k->states;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (strcmp(k->code[middle], code) <= 0)
            low = middle;
        else
            high = middle;
    }
    assert_string_equal(k->code[low], code);
    return low;
}

/* ------------------------------------------------------------------------------------------------------ transitions */

typedef struct row_of {
    const ref_kernel *k;
    ref_world *w;
    size_t state;
    double *p;
} row_of;

/* A move of probability q: accepted or not. */
static void add_move(row_of *r, const cp_move *move, double q) {
    char code[REF_CODE];
    double log_ratio = cp_moves_log_ratio(&r->w->moves, &r->w->tree, move);
    double accepted = fmin(1, exp(log_ratio));
    r->p[r->state] += q * (1 - accepted);
    if (!(accepted > 0)) return;
    cp_moves_apply(&r->w->moves, &r->w->tree, move);
    assert_null(cp_moves_tree_check(&r->w->tree, &r->w->model));
    ref_world_code(r->w, code);
    r->p[ref_kernel_find(r->k, code)] += q * accepted;
    ref_world_plant(r->w, r->k->code[r->state]);
}

static void add_rules(row_of *r, cp_move move, double q) {
    unsigned rows = ref_rows_of(r->w, move.node);
    for (uint32_t d = 0; d < r->w->of->dims; d++) {
        float v[REF_ROWS];
        size_t n = values_of(r->w->of, d, v);
        for (uint32_t cell = 0; cell + 1 < n; cell++) {
            move.rule = (cp_rule){d, cell};
            double prob = rule_prob(r->w->of, rows, move.rule);
            if (prob > 0) add_move(r, &move, q * prob);
        }
    }
}

static void add_kind(row_of *r, cp_move_kind kind) {
    size_t n = cp_moves_targets(&r->w->tree, kind);
    if (!n) r->p[r->state] += 1;
    for (size_t i = 0; i < n; i++) {
        cp_move move = {.kind = kind, .node = cp_moves_target(&r->w->tree, kind, i)};
        if (kind == CP_MOVE_GROW || kind == CP_MOVE_CHANGE)
            add_rules(r, move, 1 / (double)n);
        else
            add_move(r, &move, 1 / (double)n);
    }
}

static void fill_matrices(ref_kernel *k, const ref_case *c) {
    ref_world w;
    ref_world_init(&w, c);
    for (int kind = 0; kind < CP_MOVES; kind++) {
        k->p[kind] = calloc(k->states * k->states, sizeof *k->p[kind]);
        assert_non_null(k->p[kind]);
        for (size_t s = 0; s < k->states; s++) {
            ref_world_plant(&w, k->code[s]);
            add_kind(&(row_of){k, &w, s, k->p[kind] + s * k->states}, (cp_move_kind)kind);
        }
    }
    ref_world_clear(&w);
}

void ref_kernel_init(ref_kernel *k, const ref_case *c) {
    size_t n;
    entry *e = list_trees(c, &n);
    double top = -INFINITY, sum = 0;
    qsort(e, n, sizeof *e, by_code);
    *k = (ref_kernel){.states = n,
                      .code = malloc(n * sizeof *k->code),
                      .pi = malloc(n * sizeof *k->pi),
                      .prior = malloc(n * sizeof *k->prior)};
    for (size_t i = 0; i < n; i++) top = fmax(top, e[i].log_posterior);
    for (size_t i = 0; i < n; i++) {
        memcpy(k->code[i], e[i].code, REF_CODE);
        k->prior[i] = exp(e[i].log_prior);
        sum += k->pi[i] = exp(e[i].log_posterior - top);
    }
    for (size_t i = 0; i < n; i++) k->pi[i] /= sum;
    k->log_evidence = top + log(sum);
    free(e);
    fill_matrices(k, c);
}

void ref_kernel_clear(ref_kernel *k) {
    for (int kind = 0; kind < CP_MOVES; kind++) free(k->p[kind]);
    free(k->code);
    free(k->pi);
    free(k->prior);
}

static double mixed(const ref_kernel *k, const ref_case *c, unsigned kinds, size_t s, size_t t) {
    double p = 0, rest = 0;
    for (int kind = 0; kind < CP_MOVES; kind++) {
        if (!(kinds >> kind & 1))
            rest += c->share[kind];
        else
            p += c->share[kind] * k->p[kind][s * k->states + t];
    }
    return p + (s == t ? rest : 0); /* the others stay where they are */
}

double ref_kernel_drift(const ref_kernel *k, const ref_case *c, unsigned kinds) {
    double most = 0;
    for (size_t t = 0; t < k->states; t++) {
        double sum = 0;
        for (size_t s = 0; s < k->states; s++) sum += k->pi[s] * mixed(k, c, kinds, s, t);
        most = fmax(most, fabs(sum - k->pi[t]));
    }
    return most;
}

double ref_kernel_imbalance(const ref_kernel *k, const ref_case *c, unsigned kinds) {
    double most = 0;
    for (size_t t = 0; t < k->states; t++)
        for (size_t s = 0; s < t; s++)
            most = fmax(most, fabs(k->pi[s] * mixed(k, c, kinds, s, t) - k->pi[t] * mixed(k, c, kinds, t, s)));
    return most;
}
