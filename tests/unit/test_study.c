#include "check.h"
#include "sanitized.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "bo/study.h"

enum { PATH = 64 };

/* In memory where there is such a folder: thousands of records would wait for a disk, which tests/cli/kill-tells is
 * about. */
static char *fresh(char *buf) {
    snprintf(buf, PATH, "%s/copse-study-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    int fd = mkstemp(buf);
    assert_true(fd >= 0);
    close(fd);
    unlink(buf);
    return buf;
}

static const char *const colours[] = {"red", "green", "blue"};
static const copse_dim mixed[] = {
    {.name = "x", .kind = COPSE_DIM_REAL, .low = -1, .high = 3},
    {.name = "rate", .kind = COPSE_DIM_REAL, .low = 1e-5, .high = 1, .log = 1},
    {.name = "n", .kind = COPSE_DIM_INTEGER, .low = 1, .high = 9},
    {.name = "colour", .kind = COPSE_DIM_CATEGORY, .levels = colours, .n_levels = 3},
};

/* Best at x = 1, rate = 1e-3, n = 7, green: there it is 0. */
static double objective(const double *x) {
    return -pow(x[0] - 1, 2) - pow(log10(x[1]) + 3, 2) - pow((x[2] - 7) / 4, 2) - (x[3] != 1);
}

static copse_study *make(const char *opt_path, const copse_dim *dim, size_t n, const char *acquisition, int minimise) {
    copse_error err;
    copse_study *s;
    copse_study_options opt = {
        .dims = dim, .n_dims = n, .acquisition = acquisition, .minimise = minimise, .seed = seed_of("study")};
    must(copse_study_new(opt_path, &opt, NULL, &s, &err), err);
    return s;
}

static void step(copse_study *s, double sign) {
    copse_error err;
    copse_trial t;
    must(copse_study_ask(s, NULL, &t, &err), err);
    must(copse_study_tell(s, t.id, sign * objective(t.x), NULL, &err), err);
}

static double best_value(const copse_study *s) {
    copse_trial t;
    assert_true(copse_study_trial(s, copse_study_best(s), &t));
    return t.value;
}

static void points_lie_in_the_box(void **state) {
    copse_error err;
    copse_study *s = make(NULL, mixed, 4, NULL, 0);
    (void)state;
    for (int i = 0; i < 60; i++) {
        copse_trial t;
        must(copse_study_ask(s, NULL, &t, &err), err);
        assert_null(cp_space_outside(s->space, t.x));
        must(copse_study_tell(s, t.id, objective(t.x), NULL, &err), err);
    }
    copse_study_free(s);
}

/* What is left to the best, in the mean over some studies of 80 evaluations, every other one upside down. */
static double mean_loss(const char *how) {
    enum { RUNS = ONE_OF > 1 ? 2 : 4 };
    double sum = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        copse_error err;
        copse_study *s;
        int minimise = run % 2;
        copse_study_options opt = {
            .dims = mixed, .n_dims = 4, .acquisition = how, .minimise = minimise, .seed = seed_of("best") + run};
        must(copse_study_new(NULL, &opt, NULL, &s, &err), err);
        for (int i = 0; i < 80; i++) step(s, minimise ? -1 : 1);
        sum += fabs(best_value(s));
        copse_study_free(s);
    }
    return sum / RUNS;
}

/* Better than as many points at random, both ways up, by every acquisition; by far with the default one. */
static void finds_the_best(void **state) {
    static const char *const how[] = {"ucb", "ei", "thompson"};
    double random = mean_loss("random");
    (void)state;
    for (size_t a = 0; a < COUNT(how); a++) {
        double loss = mean_loss(how[a]);
        if (!(loss < .5 * random && (a > 0 || loss < .1 * random)))
            fail_msg("%s: %g, at random %g", how[a], loss, random);
    }
}

/* Values that are bad beyond measure are just bad: a study with cliffs asks for the points that it asks for where the
 * worst quarter is all alike. */
static void how_bad_does_not_matter(void **state) {
    copse_error err;
    copse_trial t;
    const double cliff[] = {-100, -1e12};
    double x[2][40][4];
    (void)state;
    for (int k = 0; k < 2; k++) {
        copse_study *s = make(NULL, mixed, 4, NULL, 0);
        for (int i = 0; i < 40; i++) {
            must(copse_study_ask(s, NULL, &t, &err), err);
            memcpy(x[k][i], t.x, sizeof x[k][i]);
            must(copse_study_tell(s, t.id, i % 4 == 1 ? cliff[k] : objective(t.x), NULL, &err), err);
        }
        copse_study_free(s);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
}

static void same_trials(const copse_study *a, const copse_study *b) {
    assert_int_equal(copse_study_trials(a), copse_study_trials(b));
    assert_int_equal(copse_study_best(a), copse_study_best(b));
    for (size_t id = 1; id <= copse_study_trials(a); id++) {
        copse_trial s, t;
        assert_true(copse_study_trial(a, id, &s) && copse_study_trial(b, id, &t));
        assert_int_equal(s.state, t.state);
        assert_int_equal(s.row, t.row);
        assert_memory_equal(&s.value, &t.value, sizeof s.value);
        assert_memory_equal(s.x, t.x, copse_study_dims(a) * sizeof *s.x);
    }
    for (size_t i = 0; copse_study_told(a, i); i++) assert_int_equal(copse_study_told(a, i), copse_study_told(b, i));
}

/* Opened anew before every step, a study goes on as one that stays open. */
static void a_file_goes_on(void **state) {
    char path[PATH];
    copse_error err;
    copse_study *kept = make(NULL, mixed, 4, NULL, 0), *s = make(fresh(path), mixed, 4, NULL, 0);
    (void)state;
    for (int i = 0; i < 30; i++) {
        copse_study_free(s);
        must(copse_study_open(path, NULL, &s, &err), err);
        step(s, 1);
        step(kept, 1);
    }
    same_trials(kept, s);
    copse_study_free(kept);
    copse_study_free(s);
    unlink(path);
}

static const copse_dim square[] = {{.name = "x", .high = 1}, {.name = "y", .high = 1}};

/* A wide hill of height 1, and a narrow one of height 2 in a corner. */
static double two_hills(const double *x) {
    double wide = pow(x[0] - .7, 2) + pow(x[1] - .6, 2), narrow = pow(x[0] - .1, 2) + pow(x[1] - .1, 2);
    return exp(-4 * wide) + 2 * exp(-40 * narrow);
}

/* Nothing is better than the middle of it. */
static double plateau(const double *x) {
    return fmin(x[0], .5);
}

static void climb(copse_study *s, double (*what)(const double *), int steps) {
    copse_error err;
    copse_trial t;
    for (int i = 0; i < steps; i++) {
        must(copse_study_ask(s, NULL, &t, &err), err);
        must(copse_study_tell(s, t.id, what(t.x), NULL, &err), err);
    }
}

/* Without restarts the search would stay on top of the wide hill. */
static void restarts_in_time(void **state) {
    enum { RUNS = ONE_OF > 1 ? 1 : 6 }; /* a sanitizer sees the code in one, of which nothing is asked */
    int high = 0;
    (void)state;
    for (uint64_t run = 0; run < RUNS; run++) {
        copse_error err;
        copse_study *s;
        copse_study_options opt = {.dims = square, .n_dims = 2, .seed = seed_of("elsewhere") + run};
        must(copse_study_new(NULL, &opt, NULL, &s, &err), err);
        climb(s, two_hills, 160);
        high += best_value(s) > 1.5;
        copse_study_free(s);
    }
    if (high < RUNS / 2) fail_msg("%d of %d runs found the higher hill", high, (int)RUNS);
}

/* The file holds nothing about phases, but a process that opens it is in the same phase. */
static void phases_follow_from_the_records(void **state) {
    char path[PATH];
    copse_error err;
    copse_study *kept = make(NULL, square, 2, NULL, 0), *s = make(fresh(path), square, 2, NULL, 0);
    int phases = 0, was = 0;
    (void)state;
    for (int i = 0; i < 120; i++) {
        copse_study_free(s);
        must(copse_study_open(path, NULL, &s, &err), err);
        assert_int_equal(s->restarts.is_restart, kept->restarts.is_restart);
        assert_int_equal(s->restarts.last_improved, kept->restarts.last_improved);
        phases += s->restarts.is_restart != was;
        was = s->restarts.is_restart;
        climb(s, plateau, 1);
        climb(kept, plateau, 1);
    }
    assert_true(phases > 1);
    same_trials(kept, s);
    copse_study_free(kept);
    copse_study_free(s);
    unlink(path);
}

/* A restart does not use a trial that was asked for before it, even if that is told later. */
static void a_restart_uses_its_own_values(void **state) {
    copse_error err;
    copse_trial late, t;
    copse_study *s = make(NULL, square, 2, NULL, 0);
    (void)state;
    must(copse_study_ask(s, NULL, &late, &err), err);
    size_t id = late.id;
    for (int i = 0; i < 100 && !s->restarts.is_restart; i++) {
        must(copse_study_ask(s, NULL, &t, &err), err);
        must(copse_study_tell(s, t.id, 1, NULL, &err), err);
    }
    assert_true(s->restarts.is_restart);
    must(copse_study_tell(s, id, 5, NULL, &err), err);
    assert_int_equal(copse_study_best(s), id);
    assert_int_equal(s->restarts.in_phase.n, 0);
    climb(s, plateau, 1);
    assert_int_equal(s->restarts.in_phase.n, 1);
    copse_study_free(s);
}

/* Ever smaller steps on a hill's top, each better than the last, do not keep a phase going for ever; steps that lead
 * somewhere do. */
static void small_steps_do_not_count(void **state) {
    static const double steps[] = {.0005, .04};
    (void)state;
    for (size_t k = 0; k < COUNT(steps); k++) {
        copse_error err;
        copse_study *s = make(NULL, square, 2, NULL, 0);
        for (int i = 0; i < 50; i++) {
            double x[] = {fmod(i * steps[k], 1), .5};
            must(copse_study_add(s, x, i, NULL, NULL, &err), err);
            assert_true(k == 0 || !s->restarts.is_restart);
        }
        assert_int_equal(s->restarts.is_restart, k == 0);
        copse_study_free(s);
    }
}

static void points_are_apart_by_their_scales(void **state) {
    const double a[] = {0, 1e-3, 3, 1};
    const struct {
        double x[4], apart;
    } to[] = {{{0, 1e-3, 3, 1}, 0},
              {{1, 1e-3, 3, 1}, .25},
              {{1, .1, 3, 1}, .4},
              {{0, 1e-3, 9, 1}, 6 / 9.},
              {{0, 1e-3, 3, 2}, 1}};
    copse_study *s = make(NULL, mixed, 4, NULL, 0);
    (void)state;
    for (size_t k = 0; k < COUNT(to); k++) {
        assert_near(cp_space_distance(s->space, a, to[k].x), to[k].apart, 1e-6);
        assert_near(cp_space_distance(s->space, to[k].x, a), to[k].apart, 1e-6);
    }
    copse_study_free(s);
}

/* However long a study is, the transform of a restart is fitted to values of that restart. */
static void a_restart_fits_its_own_transform(void **state) {
    enum { LONG = 1500 };
    copse_error err;
    cp_rng rng;
    copse_study *s = make(NULL, square, 2, NULL, 0);
    size_t seen = 0;
    (void)state;
    cp_rng_init(&rng, seed_of("own lessons"), CP_FOR_TEST, 0, 0);
    while (s->tells < LONG || !s->restarts.is_restart || s->restarts.known > 0) {
        double x[] = {cp_rng_unit(&rng), cp_rng_unit(&rng)};
        must(copse_study_add(s, x, 1, NULL, NULL, &err), err);
    }
    while (s->restarts.is_restart && seen < 40) {
        climb(s, two_hills, 1);
        if (s->refit_tells == 0) continue; /* its first points are spread evenly */
        seen++;
        assert_true(s->transform.n >= 1 && 2 * s->transform.n + 1 >= s->restarts.known);
    }
    assert_int_equal(seen, 40);
    copse_study_free(s);
}

static void what_others_tell_is_known(void **state) {
    char path[PATH];
    copse_error err;
    copse_trial t;
    copse_study *a = make(fresh(path), mixed, 4, NULL, 1), *b;
    (void)state;
    must(copse_study_open(path, NULL, &b, &err), err);
    for (int i = 0; i < 20; i++) {
        must(copse_study_ask(a, NULL, &t, &err), err);
        assert_int_equal(t.id, i + 1);
        must(copse_study_tell(b, t.id, objective(t.x), NULL, &err), err);
    }
    assert_int_equal(copse_study_tell(a, 20, 1, NULL, &err), COPSE_E_USAGE);
    must(copse_study_look(a, NULL, &err), err);
    same_trials(a, b);
    copse_study_free(a);
    copse_study_free(b);
    unlink(path);
}

/* 40 points asked for before any is told are 40 different ones, not next to each other. */
static void many_asks_before_tells(void **state) {
    copse_error err;
    copse_trial t;
    double x[40][4];
    copse_study *s = make(NULL, mixed, 4, NULL, 0);
    (void)state;
    for (int i = 0; i < 20; i++) step(s, 1);
    for (int i = 0; i < 40; i++) {
        must(copse_study_ask(s, NULL, &t, &err), err);
        memcpy(x[i], t.x, sizeof x[i]);
        for (int k = 0; k < i; k++) assert_memory_not_equal(x[k], x[i], sizeof x[i]);
    }
    for (size_t id = 60; id > 20; id--) must(copse_study_tell(s, id, objective(x[id - 21]), NULL, &err), err);
    step(s, 1);
    assert_int_equal(s->n_pending, 0);
    copse_study_free(s);
}

static copse_table *grid(size_t side) {
    copse_error err;
    copse_table *t;
    size_t n = side * side;
    double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    const char **word = malloc(n * sizeof *word);
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)(i % side);
        y[i] = pow(2, (double)(i / side));
        word[i] = colours[i % 3];
    }
    must(copse_table_new(n, &t, &err), err);
    must(copse_table_add_numbers(t, "a", x, &err), err);
    must(copse_table_add_numbers(t, "b", y, &err), err);
    must(copse_table_add_text(t, "c", word, &err), err);
    must(copse_table_add_numbers(t, "v", y, &err), err);
    free(x);
    free(y);
    free(word);
    return t;
}

/* Every point of a grid is asked for once, then no more. */
static void a_grid_has_an_end(void **state) {
    char path[PATH];
    copse_error err;
    copse_trial t;
    copse_study *s;
    copse_table *g = grid(8);
    unsigned char met[64] = {0};
    (void)state;
    must(copse_study_new(fresh(path), &(copse_study_options){.grid = g, .grid_drop = "v", .grid_log = "b"}, NULL, &s,
                         &err),
         err);
    copse_table_free(g);
    assert_int_equal(copse_study_dims(s), 3);
    assert_int_equal(copse_study_points(s), 64);
    for (int i = 0; i < 64; i++) {
        if (i % 7 == 3) {
            copse_study_free(s);
            must(copse_study_open(path, NULL, &s, &err), err);
        }
        must(copse_study_ask(s, NULL, &t, &err), err);
        assert_true(t.row < 64 && !met[t.row]);
        met[t.row] = 1;
        assert_int_equal(t.x[0], t.row % 8);
        assert_int_equal(t.x[1], 1 << t.row / 8);
        must(copse_study_tell(s, t.id, t.x[0] - log(t.x[1]), NULL, &err), err);
    }
    assert_int_equal(copse_study_ask(s, NULL, &t, &err), COPSE_E_USAGE);
    assert_int_equal(best_value(s), 7);
    copse_study_free(s);
    unlink(path);
}

static void failures_are_not_learnt(void **state) {
    copse_error err;
    copse_trial t;
    copse_study *s = make(NULL, mixed, 4, NULL, 0);
    (void)state;
    for (int i = 0; i < 30; i++) {
        must(copse_study_ask(s, NULL, &t, &err), err);
        must(copse_study_tell(s, t.id, i % 3 ? objective(t.x) : NAN, NULL, &err), err);
    }
    assert_int_equal(s->tells, 20);
    assert_int_equal(cp_surrogate_rows(&s->forest), 19);
    copse_study_trial(s, 1, &t);
    assert_int_equal(t.state, COPSE_TRIAL_FAILED);
    copse_study_free(s);
}

static void wrong_calls_change_nothing(void **state) {
    copse_error err;
    copse_study *s = make(NULL, mixed, 4, NULL, 0), *none;
    const double out[] = {0, .1, 10, 0}, half[] = {0, .1, 1.5, 0}, fine[] = {0, .1, 2, 2};
    (void)state;
    assert_int_equal(copse_study_tell(s, 0, 1, NULL, &err), COPSE_E_USAGE);
    assert_int_equal(copse_study_tell(s, 1, 1, NULL, &err), COPSE_E_USAGE);
    assert_int_equal(copse_study_add(s, out, 1, NULL, NULL, &err), COPSE_E_USAGE);
    assert_int_equal(copse_study_add(s, half, 1, NULL, NULL, &err), COPSE_E_USAGE);
    assert_int_equal(copse_study_add(s, fine, INFINITY, NULL, NULL, &err), COPSE_E_DATA);
    assert_int_equal(copse_study_trials(s), 0);
    must(copse_study_add(s, fine, 1, NULL, NULL, &err), err);
    assert_int_equal(copse_study_tell(s, 1, 1, NULL, &err), COPSE_E_USAGE);
    copse_study_free(s);
    const copse_dim bad[] = {
        {.name = "x", .low = 1, .high = 0},
        {.name = "x", .low = 0, .high = 1, .log = 1},
        {.name = "x", .kind = COPSE_DIM_INTEGER, .low = 0, .high = 1.5},
        {.name = "", .low = 0, .high = 1},
        {.name = "x", .kind = COPSE_DIM_CATEGORY},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(copse_study_new(NULL, &(copse_study_options){.dims = &bad[i], .n_dims = 1}, NULL, &none, &err),
                         COPSE_E_USAGE);
        assert_null(none);
    }
    assert_int_equal(copse_study_new(NULL, &(copse_study_options){0}, NULL, &none, &err), COPSE_E_USAGE);
}

/* ----------------------------------------------------------------------------------------------------------- memory */

/* A whole life of a study; whatever it made is freed. */
static copse_status restarts(const char *path, const copse_table *g, copse_error *err) {
    copse_study *s = NULL;
    copse_trial t;
    const double mine[] = {0, .1, 2, 2};
    copse_study_options opt = {.dims = mixed, .n_dims = 4, .trees = 2, .initial = 1};
    if (g) opt = (copse_study_options){.grid = g, .grid_drop = "v", .trees = 2, .initial = 1};
    unlink(path);
    copse_status status = copse_study_new(path, &opt, NULL, &s, err);
    for (int i = 0; !status && i < 6; i++) { /* scales are found from four values on */
        status = copse_study_ask(s, NULL, &t, err);
        if (!status && i != 1) status = copse_study_tell(s, t.id, t.x[0], NULL, err);
        if (i != 2 || status) continue;
        copse_study_free(s);
        s = NULL;
        status = copse_study_open(path, NULL, &s, err);
    }
    if (!status && !g) status = copse_study_add(s, mine, 1, NULL, NULL, err);
    copse_study_free(s);
    return status;
}

static void every_allocation_may_fail(void **state) {
    char path[PATH];
    copse_error err;
    copse_table *g = grid(4);
    (void)state;
    fresh(path);
    for (int of_grid = 0; of_grid < 2; of_grid++) {
        long k = 0;
        for (; k < 100000; k = next_failure(k)) {
            size_t live = cp_mem_live();
            cp_mem_fail_after(k);
            copse_status status = restarts(path, of_grid ? g : NULL, &err);
            cp_mem_fail_after(-1);
            assert_int_equal(cp_mem_live(), live);
            if (!status) break;
            if (status != COPSE_E_MEMORY) fail_msg("allocation %ld: %s", k, err.msg);
        }
        assert_true(k > 50 && k < 100000);
    }
    copse_table_free(g);
    unlink(path);
}

/* A study that ran out of memory in the middle is as sound as ever, and agrees with its file. */
static void goes_on_after_running_out(void **state) {
    char path[PATH];
    copse_error err;
    copse_trial t;
    copse_study *s = make(fresh(path), mixed, 4, NULL, 0), *b;
    (void)state;
    for (int i = 0; i < 10; i++) step(s, 1);
    for (long k = 0; k < 60; k++) {
        cp_mem_fail_after(k);
        copse_status status = copse_study_ask(s, NULL, &t, &err);
        cp_mem_fail_after(-1);
        if (status) assert_int_equal(status, COPSE_E_MEMORY);
        step(s, 1);
    }
    must(copse_study_open(path, NULL, &b, &err), err);
    same_trials(s, b);
    assert_null(s->forest.method->check(s->forest.state));
    copse_study_free(s);
    copse_study_free(b);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_lie_in_the_box),
        cmocka_unit_test(finds_the_best),
        cmocka_unit_test(how_bad_does_not_matter),
        cmocka_unit_test(a_file_goes_on),
        cmocka_unit_test(what_others_tell_is_known),
        cmocka_unit_test(many_asks_before_tells),
        cmocka_unit_test(a_grid_has_an_end),
        cmocka_unit_test(failures_are_not_learnt),
        cmocka_unit_test(wrong_calls_change_nothing),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(goes_on_after_running_out),
        cmocka_unit_test(restarts_in_time),
        cmocka_unit_test(a_restart_uses_its_own_values),
        cmocka_unit_test(phases_follow_from_the_records),
        cmocka_unit_test(small_steps_do_not_count),
        cmocka_unit_test(points_are_apart_by_their_scales),
        cmocka_unit_test(a_restart_fits_its_own_transform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
