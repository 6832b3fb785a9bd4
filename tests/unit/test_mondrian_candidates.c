/* Splits that the labels choose: candidates, their scores by brute force, files. */
#include "forest.h"

#include "mondrian/mondrian_candidates.h"

static int row_order(const void *a, const void *b) {
    return *(const int32_t *)a - *(const int32_t *)b;
}

static size_t rows_under(const cp_mondrian_tree *t, int32_t j, int32_t *out) {
    const cp_mondrian_node *n = &t->node[j];
    size_t k = 0;
    if (cp_mondrian_tree_is_leaf(n)) {
        for (int32_t r = n->head; r != CP_NONE; r = t->next[r]) out[k++] = r;
        return k;
    }
    k = rows_under(t, n->left, out);
    return k + rows_under(t, n->right, out + k);
}

/* The fall of squared error about the means, or of Gini impurity, by a split: from the definitions. */
static double gain(const cp_mondrian *f, cp_mondrian_split split, const int32_t *row, size_t n) {
    double sum[2] = {0}, rows[2] = {0}, count[2][8] = {{0}}, all = 0;
    for (size_t i = 0; i < n; i++) {
        int right = cp_mondrian_tree_row(&f->space, row[i])[split.dim] > split.cut;
        rows[right]++;
        if (f->label)
            count[right][f->label[row[i]]]++;
        else
            sum[right] += f->y[row[i]];
    }
    for (int side = 0; side < 2; side++) {
        if (rows[side] == 0) continue;
        if (!f->label) all += sum[side] * sum[side] / rows[side];
        for (int k = 0; f->label && k < 8; k++) all += count[side][k] * count[side][k] / rows[side];
    }
    return all;
}

static int is(cp_mondrian_split a, const cp_mondrian_node *n) {
    return a.dim == n->dim && a.cut == n->cut;
}

/* Every split is one of its candidates, and no other has a higher gain among the rows that choose. */
static void assert_chosen_by_labels(const cp_mondrian *f, const copse_params *p) {
    static int32_t row[2000];
    size_t seen = 0;
    assert_sound(f, p);
    for (size_t m = 0; m < f->trees; m++) {
        const cp_mondrian_tree *t = &f->tree[m];
        for (size_t j = 0; j < t->nodes; j++) {
            if (t->chosen[j] == CP_NONE) continue;
            const cp_mondrian_split *c = t->candidate + (size_t)t->chosen[j] * f->space.candidates;
            size_t n = rows_under(t, (int32_t)j, row), voters = cp_mondrian_candidates_voters(&f->space, n);
            qsort(row, n, sizeof *row, row_order);
            double own = gain(f, (cp_mondrian_split){t->node[j].dim, t->node[j].cut}, row, voters);
            for (size_t k = 0; k < f->space.candidates; k++)
                assert_true(gain(f, c[k], row, voters) <= own * (1 + 1e-4) || is(c[k], &t->node[j]));
            seen++;
        }
    }
    assert_true(seen > 0);
}

static void labels_choose_splits(void **state) {
    (void)state;
    static const char *const text[] = {"trees=7 candidates=3", "trees=7 candidates=10 rechoose=exact",
                                       "trees=7 candidates=4 lifetime=2 min-samples-split=4"};
    for (size_t i = 0; i < 3; i++)
        for (size_t classes = 0; classes <= 6; classes += 3) {
            copse_params *p = options(text[i]);
            sample s = make_sample(text[i], 300, 3, classes, i == 1 ? 9 : 0);
            cp_mondrian *f = fit_rows(&s.rows, s.rows.n, p);
            assert_chosen_by_labels(f, p);
            cp_mondrian_free(f);
            free_sample(&s);
            cp_param_free(p);
        }
}

/* Row by row, with many classes and few, ties, late outliers, pauses and lifetimes: the structure stays sound, and the
 * split of every node is the one that its first rows choose. */
static void labels_choose_again(void **state) {
    (void)state;
    static const char *const text[] = {
        "trees=5 candidates=3 posterior=fast", "trees=5 candidates=10 rechoose=exact posterior=fast",
        "trees=5 candidates=4 lifetime=2 min-samples-split=4 posterior=fast", "trees=5 candidates=2 lifetime=3",
        "trees=5 candidates=3 min-samples-split=2 posterior=fast"};
    for (size_t i = 0; i < 5; i++)
        for (size_t classes = 0; classes <= 6; classes += 3) {
            copse_params *p = options(text[i]);
            sample s = make_sample(text[i], 300, 3, classes, i % 2 ? 9 : 0);
            for (int d = 0; d < 3; d++) s.x[200 * 3 + d] = 9; /* an outlier */
            cp_mondrian *f = fit_rows(&s.rows, 1, p);
            for (size_t n = 1; n < s.rows.n; n++) {
                learn_rows(f, &s.rows, n, 1, p);
                if (n % 13 == 0 || n < 40 || n == 200) assert_sound(f, p);
            }
            assert_chosen_by_labels(f, p);
            cp_mondrian *g = fit_rows(&s.rows, 1, p);
            learn_rows(g, &s.rows, 1, 150, p);
            cp_mondrian *h = reread(g, &s.rows, p, 0);
            learn_rows(h, &s.rows, 151, s.rows.n - 151, p);
            assert_same(f, h, p); /* however the stream is cut, and through a file */
            cp_mondrian_free(f);
            cp_mondrian_free(g);
            cp_mondrian_free(h);
            free_sample(&s);
            cp_param_free(p);
        }
}

static void files_keep_candidates(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 40; classes += 20) {
        copse_params *p = options("trees=3 candidates=5");
        sample s = make_sample("file", 200, 2, classes, 0);
        cp_mondrian *f = fit_rows(&s.rows, s.rows.n, p), *g = reread(f, &s.rows, p, 0),
                    *frozen = reread(f, &s.rows, p, COPSE_SAVE_FROZEN);
        assert_same(f, g, p);
        for (size_t m = 0; m < f->trees; m++)
            for (size_t j = 0; j < f->tree[m].nodes; j++) {
                int32_t a = f->tree[m].chosen[j], b = g->tree[m].chosen[j];
                assert_int_equal(a == CP_NONE, b == CP_NONE);
                if (a == CP_NONE) continue;
                assert_int_equal(f->tree[m].choice[a].rows, g->tree[m].choice[b].rows);
                assert_int_equal(f->tree[m].choice[a].last, g->tree[m].choice[b].last);
            }
        cp_mondrian_free(f);
        cp_mondrian_free(g);
        cp_mondrian_free(frozen);
        free_sample(&s);
        cp_param_free(p);
    }
}

/* n rounded down to two binary digits: at least two thirds, and a step only where n is such a number. */
static void voters_grow_in_steps(void **state) {
    (void)state;
    const cp_mondrian_space lazy = {.lazy = 1}, exact = {.lazy = 0};
    for (size_t n = 1; n < 100000; n++) {
        size_t v = cp_mondrian_candidates_voters(&lazy, n), before = cp_mondrian_candidates_voters(&lazy, n - 1);
        assert_true(v <= n && 3 * v > 2 * n - 1 && (v == n || v == before));
        assert_int_equal(cp_mondrian_candidates_voters(&exact, n), n);
    }
}

static void targets_become_whole_numbers(void **state) {
    (void)state;
    const double y[] = {-1, 1, 0, 2}, same[] = {0, 0};
    double unit = cp_mondrian_candidates_unit(y, 4, 0);
    assert_true(unit == ldexp(1, -16));
    assert_int_equal(cp_mondrian_candidates_whole(-1, unit), -65536);
    assert_int_equal(cp_mondrian_candidates_whole(1e300, unit), 1 << 30);
    assert_int_equal(cp_mondrian_candidates_whole(-1e300, unit), -(1 << 30));
    assert_true(cp_mondrian_candidates_unit(same, 2, 0) == 0);
    const double large[] = {1e60, -1e60}, small[] = {1e-80, -1e-80};
    assert_true(cp_mondrian_candidates_unit(large, 2, 0) > 0 && isfinite(cp_mondrian_candidates_unit(large, 2, 0)));
    assert_true(cp_mondrian_candidates_whole(1e-80, cp_mondrian_candidates_unit(small, 2, 0)) >= 65536);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_choose_splits),         cmocka_unit_test(labels_choose_again),
        cmocka_unit_test(files_keep_candidates),        cmocka_unit_test(voters_grow_in_steps),
        cmocka_unit_test(targets_become_whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
