/* Tables of columns against sums over rows; and of each proposal the one thing it owes: for every decision x,
 * E[weight; x is chosen] = prior(x) likelihood(x) / likelihood(N). */
#include "ks.h"
#include "stand.h"

#include "btree/btree_propose.h"

enum { DECISIONS = 64, DRAWS = 40000 };

/* Blocks of a problem, and a column to look at them. */
typedef struct table {
    cp_btree_blocks k;
    cp_btree_column c;
} table;

static void make_table(table *t, const cp_btree_problem *b) {
    copse_error err;
    must(cp_btree_block_init(&t->k, b, &err), err);
    must(cp_btree_column_init(&t->c, b, &err), err);
}

static void clear_table(table *t) {
    cp_btree_column_clear(&t->c);
    cp_btree_block_clear(&t->k);
}

static cp_btree_view load(table *t, int32_t block, uint32_t dim) {
    cp_btree_view v = cp_btree_block_view(&t->k, block);
    cp_btree_column_load(&t->c, &v, dim);
    if (t->c.gaps) cp_btree_column_sum(&t->c);
    return v;
}

/* The left side of a split of the block. */
static int32_t left_of(table *t, int32_t block, cp_btree_gap gap) {
    copse_error err;
    int32_t split;
    must(cp_btree_block_split(&t->k, block, gap, &split, &err), err);
    must(cp_btree_block_make(&t->k, 2 * split, &err), err);
    return 2 * split;
}

static double side_log_lik(const cp_btree_problem *b, cp_span s, cp_btree_gap gap, int right) {
    double stat[8] = {0};
    for (size_t i = 0; i < s.n; i++)
        if ((cp_ranks_column(&b->ranks, gap.dim)[s.row[i]] > gap.low) == right) cp_leaf_add(&b->leaf, stat, s.row[i]);
    return cp_leaf_log_marginal(&b->leaf, stat);
}

static void assert_table(const cp_btree_column *c, const cp_btree_view *v) {
    const cp_btree_problem *b = c->b;
    const uint32_t *rank = cp_ranks_column(&b->ranks, c->dim);
    double shares = 0, sum = 0;
    for (size_t g = 0; g < c->gaps; g++) {
        cp_btree_gap gap = cp_btree_column_gap(c, g);
        size_t left = 0, at_low = 0, at_high = 0;
        for (size_t i = 0; i < v->span.n; i++) {
            uint32_t r = rank[v->span.row[i]];
            assert_false(r > gap.low && r < gap.high);
            left += r <= gap.low;
            at_low += r == gap.low;
            at_high += r == gap.high;
        }
        assert_true(at_low && at_high);
        assert_int_equal(left, c->end[g]);
        double both = side_log_lik(b, v->span, gap, 0) + side_log_lik(b, v->span, gap, 1);
        assert_near(c->log_lik[g], both, 1e-10);
        shares += cp_btree_column_share(c, g);
        sum += cp_btree_column_share(c, g) * exp(both - v->log_lik);
    }
    assert_near(shares, 1, 1e-12);
    assert_near(c->log_sum - v->log_lik, log(sum), 1e-9);
}

/* All columns of a block, and of a part of it that is so small that its ranks lie far apart. */
static void tables_are_sums_over_rows(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        stand s;
        table t;
        make_stand(&s, "tables", 300, 3, kind % 2 ? 3 : 0, kind / 2 ? 7 : 0);
        make_table(&t, &s.b);
        int32_t block = 0;
        for (int deep = 0; deep < 3; deep++) {
            cp_btree_gap gap = {0};
            for (uint32_t d = 0; d < 3; d++) {
                cp_btree_view v = load(&t, block, d);
                assert_int_equal(t.c.gaps > 0, cp_rule_varies(&s.b.ranks, d, v.span));
                if (!t.c.gaps) continue;
                assert_table(&t.c, &v);
                gap = cp_btree_column_gap(&t.c, t.c.gaps / 6);
            }
            block = left_of(&t, block, gap);
        }
        clear_table(&t);
        free_stand(&s);
    }
}

/* A few rows of very many: their ranks are apart by more than 16 bits can say. */
static void tables_of_far_ranks_are_sums_over_rows(void **state) {
    (void)state;
    stand s;
    table t;
    make_stand(&s, "far ranks", 80000, 2, 3, 0);
    make_table(&t, &s.b);
    cp_btree_view v = load(&t, left_of(&t, 0, (cp_btree_gap){0, 999, 1000}), 1);
    cp_extent e = cp_rule_extent(&s.b.ranks, 1, v.span);
    assert_true(e.high - e.low > 65536 && v.span.n < 1100);
    assert_table(&t.c, &v);
    clear_table(&t);
    free_stand(&s);
}

/* Where one gap is far more likely and another far wider, both count. */
static void narrow_gaps_do_not_hide_wide_ones(void **state) {
    (void)state;
    enum { N = 111 };
    copse_error err;
    cp_btree_hyper hyper = stand_hyper();
    float x[N];
    int32_t label[N];
    for (int i = 0; i < N; i++) {
        x[i] = i < 55 ? 0 : i < N - 1 ? 1e-38f : 1;
        label[i] = i >= 55;
    }
    cp_rows rows = {.task = COPSE_CLASS, .n = N, .dims = 1, .classes = 2, .x = x, .label = label};
    cp_btree_problem b;
    table t;
    must(cp_btree_problem_init(&b, &rows, &hyper, 1, NULL, &err), err);
    make_table(&t, &b);
    cp_btree_view v = load(&t, 0, 0);
    assert_table(&t.c, &v);
    assert_true(t.c.log_lik[1] < t.c.log_lik[0] - 60 && t.c.mass[1] > t.c.mass[0]);
    clear_table(&t);
    cp_btree_problem_clear(&b);
}

static void a_cut_lies_in_its_gap(void **state) {
    (void)state;
    stand s;
    table t;
    make_stand(&s, "cuts", 40, 1, 2, 0);
    make_table(&t, &s.b);
    load(&t, 0, 0);
    const cp_btree_column *c = &t.c;
    const float *value = cp_ranks_values(&s.b.ranks, 0);
    double low = (double)value[0], extent = cp_ranks_width(&s.b.ranks, 0, 0, 39), mass = 0;
    for (int i = 0; i < 1000; i++) {
        double u = (i + 0.5) / 1000, at = low + u * extent;
        cp_btree_gap gap = cp_btree_column_gap(c, cp_btree_column_gap_at(c, u));
        assert_true((double)value[gap.low] <= at && at < (double)value[gap.high]);
    }
    for (size_t g = 0; g < c->gaps; g++) {
        double half = c->mass[g] / 2;
        assert_int_equal(cp_btree_column_gap_by_mass(c, (mass + half) / c->sum), g);
        mass += c->mass[g];
    }
    assert_int_equal(cp_btree_column_gap_at(c, 1 - 0x1p-54), c->gaps - 1);
    assert_int_equal(cp_btree_column_gap_by_mass(c, 1 - 0x1p-54), c->gaps - 1);
    clear_table(&t);
    free_stand(&s);
}

/* -------------------------------------------------------------------------------------------------------- proposals */

/* What can be decided at a block, stop first, with prior x likelihood over l(N). */
typedef struct law {
    size_t n;
    cp_btree_gap gap[DECISIONS];
    double target[DECISIONS];
    double of_column[3];
    size_t columns;
} law;

static law law_of(const cp_btree_problem *b, const cp_btree_view *v, double p) {
    copse_error err;
    law l = {.n = 1, .target = {1 - p}, .columns = cp_rule_columns(&b->ranks, v->span, 99)};
    cp_btree_column c;
    must(cp_btree_column_init(&c, b, &err), err);
    for (uint32_t d = 0; d < b->ranks.dims; d++) {
        cp_btree_column_load(&c, v, d);
        for (size_t g = 0; g < c.gaps; g++, l.n++) {
            assert_true(l.n < DECISIONS);
            l.gap[l.n] = cp_btree_column_gap(&c, g);
            l.target[l.n] = p / (double)l.columns * cp_btree_column_share(&c, g) * exp(c.log_lik[g] - v->log_lik);
            l.of_column[d] += l.target[l.n];
        }
    }
    cp_btree_column_clear(&c);
    return l;
}

static size_t decision_of(const law *l, const cp_btree_choice *c) {
    if (c->dim == CP_NONE) return 0;
    for (size_t i = 1; i < l->n; i++)
        if (l->gap[i].dim == c->gap.dim && l->gap[i].low == c->gap.low && l->gap[i].high == c->gap.high) return i;
    fail_msg("no such decision");
    return 0;
}

/* The chances of the decisions under a proposal that knows no more than the block. */
static void chances_of(const law *l, const cp_btree_problem *b, cp_btree_proposal proposal, double p, double *out) {
    double sum = 0;
    for (size_t i = 0; i < l->n; i++) sum += l->target[i];
    for (size_t i = 0; i < l->n; i++) {
        const cp_btree_gap *gap = &l->gap[i];
        size_t gaps = 0;
        double extent = 0, width = cp_ranks_width(&b->ranks, gap->dim, gap->low, gap->high);
        for (size_t j = 1; j < l->n; j++) {
            if (l->gap[j].dim != gap->dim) continue;
            extent += cp_ranks_width(&b->ranks, gap->dim, l->gap[j].low, l->gap[j].high);
            gaps++;
        }
        double share = proposal == CP_BTREE_PRIOR ? width / extent : 1 / (double)gaps;
        if (proposal == CP_BTREE_OPTIMAL)
            out[i] = l->target[i] / sum;
        else
            out[i] = i ? p / (double)l->columns * share : 1 - p;
    }
}

/* The largest distance of the share of a decision from its chance; and each weight is what chance and target make
 * it. */
static double distance(cp_btree_proposer *p, const law *l, const double *chance) {
    double share[DECISIONS] = {0}, most = 0;
    for (uint32_t i = 0; i < DRAWS; i++) {
        cp_rng rng;
        cp_btree_choice c;
        cp_rng_init(&rng, seed_of("proposals"), CP_FOR_TEST, (uint32_t)p->opt->proposal, i);
        cp_btree_propose_column(p, &rng, &c);
        cp_btree_propose_gap(p, &c);
        size_t x = decision_of(l, &c);
        share[x] += 1.0 / DRAWS;
        assert_near(c.log_weight, log(l->target[x] / chance[x]), 1e-10);
    }
    for (size_t i = 0; i < l->n; i++) most = fmax(most, fabs(share[i] - chance[i]));
    return most;
}

/* Mixed: the weight depends on the columns, so it is the mean of the weights that is known; none is above `top`. */
static double mean_distance(cp_btree_proposer *p, const law *l, double top) {
    double mean[DECISIONS] = {0}, most = 0;
    for (uint32_t i = 0; i < DRAWS; i++) {
        cp_rng rng;
        cp_btree_choice c;
        cp_rng_init(&rng, seed_of("mixed proposals"), CP_FOR_TEST, (uint32_t)p->opt->columns, i);
        cp_btree_propose_column(p, &rng, &c);
        cp_btree_propose_gap(p, &c);
        assert_true(exp(c.log_weight) < top * (1 + 1e-12));
        mean[decision_of(l, &c)] += exp(c.log_weight) / DRAWS;
    }
    for (size_t i = 0; i < l->n; i++) most = fmax(most, fabs(mean[i] - l->target[i]) / top);
    return most;
}

static double run_proposal(const stand *s, const cp_btree_smc_options *opt, double wrong) {
    copse_error err;
    cp_btree_blocks k;
    cp_btree_proposer p;
    double chance[DECISIONS], split = cp_tree_prior_split(&s->b.prior, 3), top = 0, off;
    must(cp_btree_block_init(&k, &s->b, &err), err);
    must(cp_btree_propose_init(&p, &s->b, opt, &err), err);
    cp_btree_view v = cp_btree_block_view(&k, 0);
    v.depth = 3;
    law l = law_of(&s->b, &v, split);
    cp_btree_propose_begin(&p, &v);
    if (opt->proposal == CP_BTREE_MIXED) {
        for (size_t d = 0; d < 3; d++) top = fmax(top, l.of_column[d] * (double)l.columns);
        for (size_t i = 0; i < l.n; i++) l.target[i] *= wrong;
        off = mean_distance(&p, &l, top + 1 - split);
    } else {
        chances_of(&l, &s->b, opt->proposal, split, chance);
        for (size_t i = 0; i < l.n; i++) { /* the weights stay what they are */
            chance[i] *= wrong;
            l.target[i] *= wrong;
        }
        off = distance(&p, &l, chance);
    }
    cp_btree_propose_clear(&p);
    cp_btree_block_clear(&k);
    return off;
}

static void check_proposal(const stand *s, cp_btree_proposal proposal, size_t columns) {
    cp_btree_smc_options opt = {.proposal = proposal, .columns = columns};
    double bound = share_bound(DRAWS), off = run_proposal(s, &opt, 1), control = run_proposal(s, &opt, 0.9);
    if (!(off < bound)) fail_msg("proposal %d, %zu columns: off by %g, bound %g", (int)proposal, columns, off, bound);
    if (!(control > bound)) fail_msg("proposal %d, %zu columns: cannot fail", (int)proposal, columns);
}

static void weights_make_up_for_proposals(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        stand s;
        make_stand(&s, "proposals", 14, 3, kind ? 2 : 0, 4);
        check_proposal(&s, CP_BTREE_PRIOR, 0);
        check_proposal(&s, CP_BTREE_EMPIRICAL, 0);
        check_proposal(&s, CP_BTREE_OPTIMAL, 0);
        for (size_t columns = 1; columns < 4; columns++) check_proposal(&s, CP_BTREE_MIXED, columns);
        free_stand(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_sums_over_rows),         cmocka_unit_test(tables_of_far_ranks_are_sums_over_rows),
        cmocka_unit_test(narrow_gaps_do_not_hide_wide_ones), cmocka_unit_test(a_cut_lies_in_its_gap),
        cmocka_unit_test(weights_make_up_for_proposals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
