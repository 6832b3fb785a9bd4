/* Each row's weights and moves against whole trees judged from scratch, tree by tree; and on a line of four places,
 * where there are fifteen trees in all, the particles against the law that they approach. */
#include "dynamic.h"

#include "ks.h"
#include "ref/ref_dyntree.h"
#include "sanitized.h"

/* A model with its rows kept, and none learnt: for tests that lead it row by row. */
typedef struct led {
    cp_dyntree *f;
    cp_dyntree_step_scratch scratch;
    copse_params *p;
} led;

/* Keeps all rows; the first n are learnt. */
static led lead(const cp_rows *rows, size_t n, const char *text) {
    led l = {.p = options(text)};
    copse_error err;
    copse_flag stop = 1;
    copse_run run = {.stop = &stop};
    cp_rows rest = cp_rows_slice(rows, n, rows->n - n);
    l.f = fit_rows(rows, n, l.p);
    assert_int_equal(cp_method_dyntree.update(l.f, &rest, l.p, &run, NULL, &err), COPSE_E_STOPPED);
    must(cp_dyntree_step_init(&l.scratch, l.f, &err), err);
    return l;
}

static void let_go(led *l) {
    cp_dyntree_step_clear(&l->scratch);
    cp_dyntree_free(l->f);
    cp_param_free(l->p);
}

static const struct {
    size_t dims, classes;
    int steps;
    const char *options;
} cases[] = {
    {2, 3, 0, "particles=30"},
    {3, 4, 5, "particles=30 alpha=0.3 beta-split=0.5 min-leaf=2"},
    {2, 0, 0, "particles=30 beta-split=0.5"},
    {2, 0, 4, "particles=30 min-leaf=1 kappa=2 nu=5 lambda=0.3 alpha-split=0.5"},
    {1, 2, 0, "particles=30 beta-split=0 alpha-split=0.9"},
    {4, 2, 2, "particles=30 min-leaf=5 beta-split=0.3"},
    {2, 0, 0, "particles=30 min-leaf=9 beta-split=0"},
};

/* --------------------------------------------------------------------------------------------------------- weighing */

/* log p(y | x, tree) is what the whole tree is worth with the row, less what it is worth without. */
static void particles_are_weighed_by_what_they_predicted(void **state) {
    (void)state;
    copse_error err;
    for (size_t c = 0; c < COUNT(cases); c++) {
        sample s = make_sample("weighing", 90, cases[c].dims, cases[c].classes, cases[c].steps);
        led l = lead(&s.rows, 30, cases[c].options);
        double log_predictive = l.f->log_predictive;
        while (l.f->learnt < s.rows.n) {
            size_t n = l.f->learnt, particles = l.f->particles;
            double want[30], sum = 0;
            for (size_t i = 0; i < particles; i++) {
                ref_tree *t = ref_tree_copy(l.f, l.f->root[i]);
                want[i] = ref_tree_log(l.f, t, n + 1) - ref_tree_log(l.f, t, n);
                sum += exp(want[i]) / (double)particles;
                ref_tree_free(t);
            }
            must(cp_dyntree_step_add(l.f, &l.scratch, &err), err);
            for (size_t i = 0; i < particles; i++) assert_near(l.scratch.log_w[i], want[i], 1e-9);
            log_predictive += log(sum);
            assert_near(l.f->log_predictive, log_predictive, 1e-9);
            must(cp_dyntree_choose(l.f, &l.scratch, &err), err);
            must(cp_dyntree_move_all(l.f, &l.scratch, &err), err);
        }
        let_go(&l);
        free_sample(&s);
    }
}

/* ------------------------------------------------------------------------------------------------------------ moves */

static int by_value(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Of the first n rows that share a leaf with x, the values of a column, sorted; returns how many. */
static size_t values_beside(const cp_dyntree *f, ref_tree *root, const float *x, size_t n, size_t dim, float *out) {
    ref_tree **parent, **home = ref_tree_find(&root, x, &parent);
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (ref_tree_find(&root, cp_dyntree_row(f, i), &parent) == home) out[m++] = cp_dyntree_row(f, i)[dim];
    qsort(out, m, sizeof *out, by_value);
    return m;
}

/* A cut that is proposed leaves enough rows on both sides; if none is, there is none. */
static void check_cut(const cp_dyntree *f, ref_tree *t, const float *x, const cp_dyntree_choice *c) {
    float v[200];
    for (size_t dim = 0; dim < f->dims; dim++) {
        size_t n = values_beside(f, t, x, f->learnt, dim, v), below = 0;
        int alike = n >= 2 * f->min_leaf && !(v[f->min_leaf - 1] < v[n - f->min_leaf]);
        if (c->dim == CP_NONE) assert_true(n < 2 * f->min_leaf || alike);
        if (c->dim != (int32_t)dim) continue;
        while (below < n && v[below] <= c->cut) below++;
        assert_int_equal(c->left, below);
        assert_true(below >= f->min_leaf && n - below >= f->min_leaf);
    }
}

/* What each move leads to, as a tree of its own. */
static ref_tree *moved(const cp_dyntree *f, int32_t root, const float *x, cp_dyntree_move move,
                       const cp_dyntree_choice *c) {
    ref_tree *t = ref_tree_copy(f, root), **parent, **leaf = ref_tree_find(&t, x, &parent);
    if (move == CP_DYNTREE_PRUNE) ref_tree_prune(*parent);
    if (move == CP_DYNTREE_GROW) ref_tree_grow(*leaf, c->dim, c->cut);
    return t;
}

static void check_particle(const cp_dyntree *f, const cp_dyntree_choice *c, int32_t root, size_t *seen,
                           ref_tree **out_next) {
    const float *x = cp_dyntree_row(f, f->learnt - 1);
    ref_tree *stay = moved(f, root, x, CP_DYNTREE_STAY, c);
    double base = ref_tree_log(f, stay, f->learnt);
    int can[CP_DYNTREE_MOVES] = {1, stay->left != NULL, c->dim != CP_NONE};
    check_cut(f, stay, x, c);
    for (cp_dyntree_move k = 0; k < CP_DYNTREE_MOVES; k++) {
        if (!can[k]) {
            assert_true(c->log_w[k] == -INFINITY && c->move != k);
            continue;
        }
        ref_tree *t = moved(f, root, x, k, c);
        assert_near(c->log_w[k] - c->log_w[CP_DYNTREE_STAY], ref_tree_log(f, t, f->learnt) - base, 1e-9);
        seen[k] += c->move == k;
        if (c->move == k)
            *out_next = t;
        else
            ref_tree_free(t);
    }
    ref_tree_free(stay);
}

/* Prior and marginal likelihood of the whole tree before and after each move; and the move that is drawn is the one
 * made. */
static void moves_are_worth_what_whole_trees_say(void **state) {
    (void)state;
    copse_error err;
    for (size_t c = 0; c < COUNT(cases); c++) {
        sample s = make_sample("moves", 90, cases[c].dims, cases[c].classes, cases[c].steps);
        led l = lead(&s.rows, 10, cases[c].options);
        size_t seen[CP_DYNTREE_MOVES] = {0};
        while (l.f->learnt < s.rows.n) {
            ref_tree *next[30];
            must(cp_dyntree_step_add(l.f, &l.scratch, &err), err);
            must(cp_dyntree_choose(l.f, &l.scratch, &err), err);
            for (size_t i = 0; i < l.f->particles; i++)
                check_particle(l.f, &l.scratch.choice[i], l.f->root[i], seen, &next[i]);
            must(cp_dyntree_move_all(l.f, &l.scratch, &err), err);
            assert_sound(l.f, l.p);
            for (size_t i = 0; i < l.f->particles; i++) {
                ref_tree *now = ref_tree_copy(l.f, l.f->root[i]);
                cp_dyntree_refresh(l.f, l.f->root[i], l.scratch.todo);
                assert_true(ref_tree_same(now, next[i]));
                assert_near(l.f->pool.node[l.f->root[i]].log_tree, ref_tree_log(l.f, next[i], l.f->learnt), 1e-9);
                ref_tree_free(now);
                ref_tree_free(next[i]);
            }
        }
        print_message("case %zu: stay %zu, prune %zu, grow %zu\n", c, seen[0], seen[1], seen[2]);
        for (int k = 0; k < CP_DYNTREE_MOVES; k++) assert_true(seen[k] > 0);
        let_go(&l);
        free_sample(&s);
    }
}

/* ----------------------------------------------------------------------------------------- all trees on four places */

/* Rows are at 0, 1, 2, 3 on a line; a tree is known by the gaps it cuts, in preorder: "." is a leaf, "(1..)" cuts
 * between 1 and 2.  The state of a particle is its tree, and its law after each row follows from its law before:
 *
 *      law'(t') = sum over t of  law(t) p(y | x, t) / sum(...)  x  P(t -> t' by stay, prune, grow)
 *
 * which is what infinitely many particles have.  It is no posterior: moves are not those of a Markov chain that leaves
 * one as it is.  So what is compared is the algorithm with its own limit. */
enum { PLACES = 4, MOST_TREES = 15, ROWS = 9 };

typedef struct law {
    char name[MOST_TREES][16];
    double p[MOST_TREES];
    size_t n;
} law;

static double *chance(law *l, const char *name) {
    for (size_t i = 0; i < l->n; i++)
        if (!strcmp(l->name[i], name)) return &l->p[i];
    assert_true(l->n < MOST_TREES);
    snprintf(l->name[l->n], sizeof l->name[0], "%s", name);
    l->p[l->n] = 0;
    return &l->p[l->n++];
}

static char *write_name(const ref_tree *t, char *at) {
    if (!t->left) {
        *at++ = '.';
        *at = '\0';
        return at;
    }
    *at++ = '(';
    *at++ = (char)('0' + (int)floorf(t->cut));
    at = write_name(t->right, write_name(t->left, at));
    *at++ = ')';
    *at = '\0';
    return at;
}

static ref_tree *read_name(const char **at) {
    ref_tree *t = calloc(1, sizeof *t);
    if (*(*at)++ == '.') return t;
    float cut = (float)(*(*at)++ - '0') + .5f;
    t->cut = cut;
    t->left = read_name(at);
    t->right = read_name(at);
    ++*at;
    return t;
}

static void add_chance(law *l, const ref_tree *t, double p) {
    char name[16];
    write_name(t, name);
    *chance(l, name) += p;
}

static ref_tree *tree_of(const char *name) {
    return read_name(&name);
}

/* One particle's moves from a tree, its share p of the law spread over where they lead. */
static void spread_moves(const cp_dyntree *f, const char *name, double p, size_t n, law *out) {
    const float *x = cp_dyntree_row(f, n - 1);
    float v[ROWS];
    ref_tree *stay = tree_of(name), *pruned = tree_of(name), **parent;
    size_t m = values_beside(f, stay, x, n, 0, v);
    float low = m >= 2 * f->min_leaf ? v[f->min_leaf - 1] : 0, high = m >= 2 * f->min_leaf ? v[m - f->min_leaf] : 0;
    double worth[CP_DYNTREE_MOVES] = {ref_tree_log(f, stay, n), -INFINITY, -INFINITY};
    ref_tree_find(&pruned, x, &parent);
    if (parent) {
        ref_tree_prune(*parent);
        worth[CP_DYNTREE_PRUNE] = ref_tree_log(f, pruned, n);
    }
    size_t gaps = low < high ? (size_t)(high - low) : 0;
    for (size_t g = 0; g < (gaps ? gaps : 1); g++) { /* places of equal width: the cut is in each of them alike */
        ref_tree *grown = tree_of(name);
        if (gaps) {
            ref_tree_grow(*ref_tree_find(&grown, x, &parent), 0, low + (float)g + .5f);
            worth[CP_DYNTREE_GROW] = ref_tree_log(f, grown, n);
        }
        double top = fmax(worth[0], fmax(worth[1], worth[2])), w[3], sum = 0;
        for (int k = 0; k < 3; k++) sum += w[k] = exp(worth[k] - top);
        const ref_tree *to[] = {stay, pruned, grown};
        for (int k = 0; k < 3; k++)
            if (w[k] > 0) add_chance(out, to[k], p * w[k] / sum / (double)(gaps ? gaps : 1));
        ref_tree_free(grown);
    }
    ref_tree_free(stay);
    ref_tree_free(pruned);
}

/* The law after n rows; returns the sum of the logs of what was predicted. */
static double find_law(const cp_dyntree *f, size_t n, law *out) {
    double log_predictive = 0;
    *out = (law){0};
    *chance(out, ".") = 1;
    for (size_t r = 0; r < n; r++) {
        law weighed = *out, next = {0};
        double sum = 0;
        for (size_t i = 0; i < weighed.n; i++) {
            ref_tree *t = tree_of(weighed.name[i]);
            sum += weighed.p[i] *= exp(ref_tree_log(f, t, r + 1) - ref_tree_log(f, t, r));
            ref_tree_free(t);
        }
        log_predictive += log(sum);
        for (size_t i = 0; i < weighed.n; i++) spread_moves(f, weighed.name[i], weighed.p[i] / sum, r + 1, &next);
        *out = next;
    }
    return log_predictive;
}

static law law_of_particles(const cp_dyntree *f) {
    law out = {0};
    for (size_t i = 0; i < f->particles; i++) {
        ref_tree *t = ref_tree_copy(f, f->root[i]);
        add_chance(&out, t, 1 / (double)f->particles);
        ref_tree_free(t);
    }
    return out;
}

/* Half the sum of differences. */
static double distance(law *a, law *b) {
    double sum = 0;
    for (size_t i = 0; i < a->n; i++) chance(b, a->name[i]);
    for (size_t i = 0; i < b->n; i++) sum += fabs(*chance(a, b->name[i]) - b->p[i]) / 2;
    return sum;
}

/* No bound holds for sure: particles are not independent of each other.  But their errors fall as 1 over the root of
 * their number; with 100,000 they are some .003, and any one wrong factor makes them a multiple of the tolerance: as
 * the control, a model of another prior, shows. */
static void particles_approach_the_law_of_the_algorithm(void **state) {
    (void)state;
    const struct {
        size_t classes;
        const char *scheme, *prior, *other;
    } kinds[] = {
        {2, "multinomial", "beta-split=0.5", "beta-split=3"},
        {2, "systematic", "beta-split=0.5 min-leaf=2", "beta-split=3 min-leaf=2"},
        {3, "residual", "beta-split=0.3 alpha=0.5", "beta-split=0.3 alpha=2"},
        {0, "stratified", "beta-split=0.5 min-leaf=1", "beta-split=3 min-leaf=1"},
        {0, "multinomial", "beta-split=0.2 min-leaf=2", "beta-split=0.5 min-leaf=2"},
    };
    const double tolerance = .015 * sqrt(ONE_OF);
    for (size_t c = 0; c < COUNT(kinds); c++) {
        char text[200], other[200];
        sample s = make_sample("four places", ROWS, 1, kinds[c].classes, PLACES);
        for (size_t i = 0; i < ROWS; i++) s.x[i] *= PLACES;
        snprintf(text, sizeof text, "particles=%d resampling=%s %s", REPEATS_OF(100000), kinds[c].scheme,
                 kinds[c].prior);
        snprintf(other, sizeof other, "particles=2 resampling=%s %s", kinds[c].scheme, kinds[c].other);
        copse_params *p = options(text), *q = options(other);
        cp_dyntree *f = fit_rows(&s.rows, ROWS, p), *g = fit_rows(&s.rows, ROWS, q);
        law got = law_of_particles(f), want, wrong;
        double log_predictive = find_law(f, ROWS, &want);
        find_law(g, ROWS, &wrong);
        print_message("case %zu: %zu trees, off by %.4f; with another prior %.4f; log predictive %.4f, %.4f\n", c,
                      want.n, distance(&got, &want), distance(&got, &wrong), f->log_predictive, log_predictive);
        assert_true(want.n > 5);
        assert_true(distance(&got, &want) < tolerance);
        assert_true(distance(&got, &wrong) > tolerance);
        assert_true(fabs(f->log_predictive - log_predictive) < 5 * tolerance);
        cp_dyntree_free(f);
        cp_dyntree_free(g);
        cp_param_free(p);
        cp_param_free(q);
        free_sample(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particles_are_weighed_by_what_they_predicted),
        cmocka_unit_test(moves_are_worth_what_whole_trees_say),
        cmocka_unit_test(particles_approach_the_law_of_the_algorithm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
