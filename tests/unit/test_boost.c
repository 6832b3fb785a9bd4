/* Boosting: slopes by finite differences, steps and splits by hand, weights as repeated rows, early stopping. */
#include "online.h"

#include <string.h>

#include "boost/boost.h"
#include "boost/boost_hist.h"
#include "method/holdout.h"

static copse_params *options(const char *text) {
    return options_of(&cp_method_boost, text);
}

static cp_boost *fit(const cp_rows *rows, int threads, const char *text) {
    copse_error err;
    copse_run run = {.size = sizeof run, .threads = threads};
    copse_params *p = options(text);
    void *state;
    must(cp_method_boost.fit(rows, p, &run, &state, &err), err);
    cp_param_free(p);
    assert_null(cp_method_boost.check(state));
    return state;
}

static void slopes_are_derivatives(void **state) {
    (void)state;
    static const double f[CP_BOOST_QUANTILES] = {.3, -.4, .9, -2, -1, 0, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8};
    static const struct {
        cp_boost_loss loss;
        size_t heads;
    } cases[] = {{CP_BOOST_SQUARED, 1}, {CP_BOOST_GAUSSIAN, 2}, {CP_BOOST_LOGISTIC, 1},
                 {CP_BOOST_SOFTMAX, 3}, {CP_BOOST_SPREAD, 1},   {CP_BOOST_QUANTILE, CP_BOOST_QUANTILES}};
    for (size_t c = 0; c < COUNT(cases); c++)
        for (int32_t label = 0; label < 2; label++) {
            cp_boost_target t = {.y = 1.7, .label = label};
            double slope[CP_BOOST_QUANTILES], curve[CP_BOOST_QUANTILES];
            double levels = cases[c].loss == CP_BOOST_QUANTILE ? CP_BOOST_QUANTILES : 1;
            cp_boost_loss_slopes(cases[c].loss, f, cases[c].heads, t, slope, curve);
            for (size_t h = 0; h < cases[c].heads; h++) {
                double step = 1e-6, up[CP_BOOST_QUANTILES], down[CP_BOOST_QUANTILES];
                memcpy(up, f, sizeof f);
                memcpy(down, f, sizeof f);
                up[h] += step;
                down[h] -= step;
                double rise = cp_boost_loss_value(cases[c].loss, up, cases[c].heads, t) -
                              cp_boost_loss_value(cases[c].loss, down, cases[c].heads, t);
                assert_true(fabs(levels * rise / (2 * step) - slope[h]) < 1e-8);
                assert_true(curve[h] > 0);
            }
        }
}

/* The Fisher information of a Gaussian is the mean of the squared slope: averaged over a grid of y. */
static void curves_of_gaussian_are_fisher_information(void **state) {
    (void)state;
    const double f[2] = {.3, -.4}, sd = exp(-.4);
    double sum[2] = {0, 0}, slope[2], curve[2], width = 1e-3;
    for (double z = -9; z < 9; z += width) {
        double density = exp(-z * z / 2) / sqrt(2 * acos(-1));
        cp_boost_loss_slopes(CP_BOOST_GAUSSIAN, f, 2, (cp_boost_target){.y = f[0] + sd * z}, slope, curve);
        for (size_t h = 0; h < 2; h++) sum[h] += width * density * slope[h] * slope[h];
    }
    for (size_t h = 0; h < 2; h++) assert_true(fabs(sum[h] - curve[h]) < 1e-6 * curve[h]);
}

/* Two classes: a step of softmax, slope / curvature, moves the difference of the scores as far as one of logistic. */
static void softmax_of_two_is_logistic(void **state) {
    (void)state;
    const double two[2] = {-.35, .35}, one[1] = {.7};
    for (int32_t label = 0; label < 2; label++) {
        double s2[2], c2[2], s1[1], c1[1], p2[2], p1[2], p3[2] = {0, 7};
        cp_boost_loss_slopes(CP_BOOST_SOFTMAX, two, 2, (cp_boost_target){.label = label}, s2, c2);
        cp_boost_loss_slopes(CP_BOOST_LOGISTIC, one, 1, (cp_boost_target){.label = label}, s1, c1);
        assert_true(fabs((s2[1] / c2[1] - s2[0] / c2[0]) - s1[0] / c1[0]) < 1e-12);
        cp_boost_loss_probs(CP_BOOST_SOFTMAX, two, 2, p2);
        cp_boost_loss_probs(CP_BOOST_LOGISTIC, one, 1, p1);
        cp_boost_loss_probs(CP_BOOST_SOFTMAX, one, 1, p3); /* a single class is certain, and one number is written */
        assert_true(p3[0] == 1 && p3[1] == 7);
        assert_true(fabs(p1[1] - p2[1]) < 1e-15);
    }
}

/* x = 0 1 2 3, y = 0 0 4 6: mean 2.5, sd 2.598.  Without shrinkage and l2, two leaves are the means 0 and 5. */
static void leaves_are_means(void **state) {
    (void)state;
    static const float x[] = {0, 1, 2, 3};
    static const double y[] = {0, 0, 4, 6};
    cp_rows rows = {.task = COPSE_REGRESS, .n = 4, .dims = 1, .x = x, .y = y};
    cp_boost *b = fit(&rows, 1, "loss=squared trees=1 patience=0 max-leaves=2 min-leaf=1 shrinkage=1 l2=0");
    const cp_tree *t = &b->forest.tree[0];
    assert_int_equal(t->nodes, 3);
    assert_true(fabs((double)t->node[0].at.cut - 1.5) < 1e-6);
    assert_true(fabs(b->forest.centre - 2.5) < 1e-9);
    assert_true(fabs(b->forest.centre + b->forest.scale * (double)t->value[0].mean) < 1e-6);
    assert_true(fabs(b->forest.centre + b->forest.scale * (double)t->value[1].mean - 5) < 1e-6);
    assert_true(fabs(b->noise * b->forest.scale * b->forest.scale - .5) < 1e-6); /* (0 + 0 + 1 + 1) / 4 */
    cp_boost_free(b);
}

enum { ROWS = 60, DIMS = 3 };

/* The first split against every split of every column, with l2. */
static void first_split_is_the_best(void **state) {
    (void)state;
    const double l2 = 40;
    sample s = make_sample("boost split", ROWS, DIMS, 0, 0);
    cp_boost *b = fit(&s.rows, 1, "loss=squared trees=1 patience=0 max-leaves=2 min-leaf=1 l2=40 column-share=1");
    double most = 0, centre = b->forest.centre, scale = b->forest.scale;
    float cut = 0;
    size_t dim = 0;
    for (size_t d = 0; d < DIMS; d++)
        for (size_t c = 0; c < ROWS; c++) {
            double left = 0, right = 0, n = 0;
            for (size_t i = 0; i < ROWS; i++) {
                int is_left = s.rows.x[i * DIMS + d] <= s.rows.x[c * DIMS + d];
                *(is_left ? &left : &right) += (s.rows.y[i] - centre) / scale;
                n += is_left;
            }
            if (n < 1 || ROWS - n < 1) continue;
            double gain = left * left / (n + l2) + right * right / (ROWS - n + l2);
            if (gain <= most + 1e-9) continue;
            most = gain;
            cut = s.rows.x[c * DIMS + d];
            dim = d;
        }
    const cp_tree_node *root = &b->forest.tree[0].node[0];
    assert_int_equal(cp_tree_dim(root), dim);
    size_t between = 0;
    for (size_t i = 0; i < ROWS; i++)
        between += s.rows.x[i * DIMS + dim] > cut && s.rows.x[i * DIMS + dim] <= root->at.cut;
    assert_true(root->at.cut >= cut && between == 0);
    cp_boost_free(b);
    free_sample(&s);
}

static void assert_same_trees(const cp_boost *a, const cp_boost *b) {
    assert_int_equal(a->forest.trees, b->forest.trees);
    for (size_t m = 0; m < a->forest.trees; m++) {
        const cp_tree *s = &a->forest.tree[m], *t = &b->forest.tree[m];
        assert_int_equal(s->nodes, t->nodes);
        assert_memory_equal(s->node, t->node, s->nodes * sizeof *s->node);
        assert_memory_equal(s->value, t->value, s->leaves * sizeof *s->value);
    }
}

static void weights_are_repeated_rows(void **state) {
    (void)state;
    sample s = make_sample("boost weights", ROWS, DIMS, 0, 0);
    static float x[ROWS * 3 * DIMS];
    static double y[ROWS * 3], weight[ROWS];
    size_t n = 0;
    for (size_t i = 0; i < ROWS; i++) {
        weight[i] = (double)(i % 4);
        for (size_t k = 0; k < i % 4; k++, n++) {
            memcpy(x + n * DIMS, s.rows.x + i * DIMS, DIMS * sizeof *x);
            y[n] = s.rows.y[i];
        }
    }
    cp_rows weighted = s.rows, repeated = s.rows;
    weighted.weight = weight;
    repeated.n = n;
    repeated.x = x;
    repeated.y = y;
    static const char *const texts[] = {
        "loss=squared trees=20 min-leaf=5 patience=0", "loss=gaussian trees=20 min-leaf=5 patience=0",
        "loss=squared trees=20 min-leaf=5 members=3", "loss=quantile trees=5 min-leaf=5 patience=0"};
    for (size_t k = 0; k < COUNT(texts); k++) {
        const char *text = texts[k];
        cp_boost *a = fit(&weighted, 1, text), *b = fit(&repeated, 1, text);
        assert_true(a->forest.centre == b->forest.centre && a->forest.scale == b->forest.scale);
        assert_same_trees(a, b);
        cp_boost_free(a);
        cp_boost_free(b);
    }
    free_sample(&s);
}

/* Five members on threads of their own, and one member whose histograms are filled by several. */
static void threads_do_not_matter(void **state) {
    (void)state;
    static const char *const text[] = {"loss=gaussian trees=3 members=1",
                                       "loss=squared trees=4 members=4 row-share=.6"};
    sample s = make_sample("boost threads", 20000, 20, 0, 0);
    for (size_t i = 0; i < COUNT(text); i++) {
        cp_boost *a = fit(&s.rows, 1, text[i]), *b = fit(&s.rows, 3, text[i]);
        assert_same_trees(a, b);
        assert_memory_equal(&a->shape, &b->shape, sizeof a->shape);
        cp_boost_free(a);
        cp_boost_free(b);
    }
    free_sample(&s);
}

/* y is noise: held-out rows stop the rounds early, and without them all rounds are run. */
static void held_out_rows_stop_the_rounds(void **state) {
    (void)state;
    sample s = make_sample("boost stop", 2000, 2, 0, 0);
    cp_rng rng;
    double *y = malloc(2000 * sizeof *y);
    cp_rng_init(&rng, seed_of("boost noise"), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < 2000; i++) y[i] = cp_rng_unit(&rng);
    s.rows.y = y;
    for (int members = 1; members < 6; members += 4) {
        const char *text =
            members == 1 ? "trees=100 patience=5 noise=even members=1" : "trees=100 patience=5 noise=even";
        cp_boost *a = fit(&s.rows, 1, text), *b = fit(&s.rows, 1, "loss=squared trees=100 patience=0");
        assert_true(a->forest.trees < (size_t)(50 * members) && !isnan(a->held_score));
        assert_int_equal(a->forest.trees % (size_t)members, 0);
        assert_int_equal(b->forest.trees, 100);
        assert_true(fabs(sqrt(a->noise) - 1) < .1); /* the noise of held-out rows is all of y's */
        assert_true(isnan(b->held_score) && b->noise < a->noise);
        cp_boost_free(a);
        cp_boost_free(b);
    }
    free(y);
    free_sample(&s);
}

/* The noise of y is exponential, and ten times as large where x0 > .5: the scale follows x0, and the shape is skew. */
static void noise_is_learnt_from_rows_left_out(void **state) {
    (void)state;
    enum { N = 4000 };
    sample s = make_sample("boost noise", N, 2, 0, 0);
    double *y = malloc(N * sizeof *y), inside = 0, skew = 0;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("boost uneven"), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < N; i++)
        y[i] = (double)s.rows.x[2 * i + 1] - log(cp_rng_unit(&rng)) * (s.rows.x[2 * i] > .5f ? 10 : 1);
    s.rows.y = y;
    cp_boost *b = fit(&s.rows, 1, "trees=200");
    assert_true(b->has_spread && b->spread > 0 && b->heads == 2);
    cp_answer a;
    copse_error err;
    must(cp_answer_init(&a, COPSE_REGRESS, N, 0, &err), err);
    must(cp_method_boost.predict(b, &s.rows, NULL, &a, &err), err);
    for (size_t i = 0; i < N; i++) {
        cp_mixture m = cp_answer_mixture(&a, i);
        double truth = (s.rows.x[2 * i] > .5f ? 10 : 1), sd = sqrt(cp_mixture_var(m));
        inside += y[i] <= cp_mixture_quantile(m, .9);
        if (fabs((double)s.rows.x[2 * i] - .5) > .1) assert_true(sd > .5 * truth && sd < 2 * truth);
        skew += cp_mixture_mean(m) - cp_mixture_quantile(m, .5) > .1 * truth; /* of an exponential law: .31 */
    }
    assert_true(inside > .87 * N && inside < .93 * N);
    assert_true(skew > .99 * N);
    cp_answer_clear(&a);
    cp_boost_free(b);
    free(y);
    free_sample(&s);
}

/* A quantile is a value with a share `level` of the weight at and below it; a row of weight 3 is three rows. */
static void quantiles_are_by_weight(void **state) {
    (void)state;
    cp_boost_weighted one[] = {{5, 1}, {1, 3}, {2, 2}, {9, 4}};
    cp_boost_weighted many[] = {{1, 1}, {1, 1}, {1, 1}, {2, 1}, {2, 1}, {5, 1}, {9, 1}, {9, 1}, {9, 1}, {9, 1}};
    static const double level[] = {.05, .3, .31, .5, .51, .6, .61, .99};
    static const double truth[] = {1, 1, 2, 2, 5, 5, 9, 9};
    for (size_t k = 0; k < COUNT(level); k++) {
        assert_true(cp_boost_quantile_of(one, COUNT(one), level[k]) == truth[k]);
        assert_true(cp_boost_quantile_of(many, COUNT(many), level[k]) == truth[k]);
    }
}

/* One round without shrinkage on x = 0 0 0 0 1 1 1 1: each head's leaves are quantiles of y. */
static void leaves_are_quantiles(void **state) {
    (void)state;
    static const float x[] = {0, 0, 0, 0, 1, 1, 1, 1};
    static const double y[] = {1, 2, 3, 4, 11, 12, 13, 14};
    cp_rows rows = {.task = COPSE_REGRESS, .n = 8, .dims = 1, .x = x, .y = y};
    cp_boost *b = fit(&rows, 1, "loss=quantile trees=1 patience=0 max-leaves=2 min-leaf=1 shrinkage=1 l2=0");
    assert_int_equal(b->forest.trees, CP_BOOST_QUANTILES);
    for (size_t k = 0; k < CP_BOOST_QUANTILES; k++) {
        const cp_tree *t = &b->forest.tree[k];
        if (t->leaves < 2) continue;
        for (size_t side = 0; side < 2; side++) {
            double got = b->forest.centre + b->forest.scale * (b->start[k] + (double)t->value[side].mean);
            double want = 10 * (double)side + ceil(4 * cp_boost_quantile_level(k));
            assert_true(fabs(got - want) < 1e-5);
        }
    }
    assert_true(b->forest.tree[CP_BOOST_QUANTILES / 2].leaves == 2);
    cp_boost_free(b);
}

/* Uniform noise whose width follows x0: quantiles rise, and intervals hold what they say. */
static void quantiles_are_calibrated(void **state) {
    (void)state;
    enum { N = 3000 };
    sample s = make_sample("boost quantiles", N, 2, 0, 0);
    double *y = malloc(N * sizeof *y), inside = 0;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("boost quantiles"), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < N; i++)
        y[i] = (double)s.rows.x[2 * i + 1] + (cp_rng_unit(&rng) - .5) * (s.rows.x[2 * i] > .5f ? 4 : 1);
    s.rows.y = y;
    cp_boost *b = fit(&s.rows, 1, "loss=quantile trees=100 max-leaves=8");
    cp_answer a;
    copse_error err;
    must(cp_answer_init(&a, COPSE_REGRESS, N, 0, &err), err);
    must(cp_method_boost.predict(b, &s.rows, NULL, &a, &err), err);
    for (size_t i = 0; i < N; i++) {
        cp_mixture m = cp_answer_mixture(&a, i);
        double low = cp_mixture_quantile(m, .05), high = cp_mixture_quantile(m, .95);
        double truth = .9 * (s.rows.x[2 * i] > .5f ? 4 : 1);
        inside += y[i] >= low && y[i] <= high;
        if (fabs((double)s.rows.x[2 * i] - .5) > .1) assert_true(high - low > .6 * truth && high - low < 1.7 * truth);
    }
    assert_true(inside > .86 * N && inside < .97 * N);
    cp_answer_clear(&a);
    cp_boost_free(b);
    free(y);
    free_sample(&s);
}

/* Every histogram that is filled or found by subtraction has the same sums, narrow or wide. */
static void narrow_and_wide_histograms_agree(void **state) {
    (void)state;
    enum { N = 500, D = 11 };
    sample s = make_sample("boost histograms", N, D, 0, 0);
    cp_bins bins;
    copse_error err;
    cp_bins_data data = {.x = s.rows.x, .rows = N, .dims = D};
    static uint64_t word[N];
    static cp_sum pair[N];
    static uint32_t row[N];
    uint8_t use[D];
    memset(use, 1, sizeof use);
    must(cp_bins_init(&bins, &data, NULL, &err), err);
    cp_boost_hist narrow = {.bins = &bins, .use = use, .narrow = 1, .shift = 48, .sum = word};
    cp_boost_hist wide = {.bins = &bins, .use = use, .shift = 48, .sum = pair};
    for (size_t i = 0; i < N; i++) {
        int64_t slope = (int64_t)(i * 2654435761u % 100000) - 50000;
        word[i] = ((uint64_t)1 << 48) + (uint64_t)slope;
        pair[i] = (cp_sum){((int64_t)1 << 48) + 1, slope};
        row[i] = (uint32_t)(i * 7 % N);
    }
    char *all[2], *part[2];
    const cp_boost_hist *h[2] = {&narrow, &wide};
    for (size_t k = 0; k < 2; k++) {
        all[k] = malloc(cp_boost_hist_bytes(h[k]));
        part[k] = malloc(cp_boost_hist_bytes(h[k]));
        cp_boost_hist_fill(h[k], row, N, all[k]);
        cp_boost_hist_fill(h[k], row, N / 3, part[k]);
        cp_boost_hist_subtract(h[k], all[k], part[k]);
    }
    for (size_t d = 0; d < D; d++)
        for (size_t b = 0; b < bins.count[d]; b++) {
            cp_boost_total sum = {0, 0, 0};
            for (size_t i = N / 3; i < N; i++) {
                if (bins.bin[row[i] * bins.stride + d] != b) continue;
                sum = (cp_boost_total){sum.rows + 1, sum.slope + pair[row[i]].s, sum.curve + 1};
            }
            for (size_t k = 0; k < 2; k++) {
                cp_boost_total got = cp_boost_hist_cell(h[k], all[k], d, b);
                assert_memory_equal(&got, &sum, sizeof sum);
            }
        }
    for (size_t k = 0; k < 2; k++) {
        free(all[k]);
        free(part[k]);
    }
    cp_bins_clear(&bins);
    free_sample(&s);
}

static void equal_rows_are_held_out_together(void **state) {
    (void)state;
    const float a[2] = {0.f, NAN}, b[2] = {-0.f, -NAN};
    size_t held = 0;
    for (uint64_t seed = 0; seed < 10000; seed++) {
        int is = cp_holdout_has(a, 2, seed, .1);
        assert_int_equal(is, cp_holdout_has(b, 2, seed, .1));
        held += (size_t)is;
    }
    assert_true(held > 850 && held < 1150);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_derivatives),
        cmocka_unit_test(curves_of_gaussian_are_fisher_information),
        cmocka_unit_test(softmax_of_two_is_logistic),
        cmocka_unit_test(leaves_are_means),
        cmocka_unit_test(first_split_is_the_best),
        cmocka_unit_test(weights_are_repeated_rows),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(held_out_rows_stop_the_rounds),
        cmocka_unit_test(noise_is_learnt_from_rows_left_out),
        cmocka_unit_test(quantiles_are_by_weight),
        cmocka_unit_test(leaves_are_quantiles),
        cmocka_unit_test(quantiles_are_calibrated),
        cmocka_unit_test(narrow_and_wide_histograms_agree),
        cmocka_unit_test(equal_rows_are_held_out_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
