#include "data/synth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "num/draw.h"
#include "num/math.h"

static const double pi = 3.14159265358979323846;

typedef struct job {
    const struct set *set;
    size_t dims;
    double noise;
    uint64_t seed;
} job;

/* Regression: `draw` draws x, and the target is truth(x) plus noise.  Classification: `draw` draws a class and an x of
 * it, noise included, and returns the class; truth(x) is the most probable class at x. */
typedef struct set {
    const char *name, *summary;
    size_t dims, min_dims, max_dims;
    double noise;
    const char *const *classes; /* NULL: regression */
    size_t (*draw)(const job *j, cp_rng *rng, double *x);
    double (*truth)(const job *j, const double *x);
} set;

/* ------------------------------------------------------------------------------------------------------- regression */

static double uniform(cp_rng *rng, double low, double high) {
    return low + (high - low) * cp_rng_unit(rng);
}

static size_t draw_cube(const job *j, cp_rng *rng, double *x) {
    for (size_t d = 0; d < j->dims; d++) x[d] = cp_rng_unit(rng);
    return 0;
}

/* Friedman 1991, Multivariate adaptive regression splines, sections 4.3 and 4.4. */
static double friedman1(const job *j, const double *x) {
    (void)j;
    return 10 * cp_math_sin(pi * x[0] * x[1]) + 20 * (x[2] - .5) * (x[2] - .5) + 10 * x[3] + 5 * x[4];
}

static size_t draw_circuit(const job *j, cp_rng *rng, double *x) {
    (void)j;
    x[0] = uniform(rng, 0, 100);
    x[1] = uniform(rng, 40 * pi, 560 * pi);
    x[2] = cp_rng_unit(rng);
    x[3] = uniform(rng, 1, 11);
    return 0;
}

/* From the origin; not hypot, whose last bit depends on the C library. */
static double distance(double x, double y) {
    return sqrt(x * x + y * y);
}

static double friedman2(const job *j, const double *x) {
    (void)j;
    return distance(x[0], x[1] * x[2] - 1 / (x[1] * x[3]));
}

static double friedman3(const job *j, const double *x) {
    (void)j;
    return cp_math_atan2(x[1] * x[2] - 1 / (x[1] * x[3]), x[0]);
}

/* Lakshminarayanan 2016, section 4.4.1: points around the corners of a cube.  Each corner has a value of its own,
 * independent of its neighbours. */
static size_t draw_corner(const job *j, cp_rng *rng, double *x) {
    uint64_t corner = cp_rng_below(rng, (uint64_t)1 << j->dims);
    for (size_t d = 0; d < j->dims; d++) x[d] = (corner >> d & 1 ? 1 : -1) + .1 * cp_draw_normal(rng);
    return 0;
}

static double hypercube(const job *j, const double *x) {
    uint64_t corner = 0;
    cp_rng rng;
    for (size_t d = 0; d < j->dims; d++) corner |= (uint64_t)(x[d] > 0) << d;
    cp_rng_init(&rng, j->seed, CP_FOR_SYNTH, 1, corner); /* slot 0 draws the rows */
    return 3 * cp_draw_normal(&rng);
}

static size_t draw_branin(const job *j, cp_rng *rng, double *x) {
    (void)j;
    x[0] = uniform(rng, -5, 10);
    x[1] = uniform(rng, 0, 15);
    return 0;
}

/* Three minima of 0.397887, at (-pi, 12.275), (pi, 2.275) and (9.42478, 2.475). */
static double branin(const job *j, const double *x) {
    (void)j;
    double valley = x[1] - 5.1 / (4 * pi * pi) * x[0] * x[0] + 5 / pi * x[0] - 6;
    return valley * valley + 10 * (1 - 1 / (8 * pi)) * cp_math_cos(x[0]) + 10;
}

/* Minimum -3.32237 at (0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573). */
static double hartmann6(const job *j, const double *x) {
    static const double weight[4] = {1, 1.2, 3, 3.2};
    static const double rate[4][6] = {
        {10, 3, 17, 3.5, 1.7, 8}, {.05, 10, 17, .1, 8, 14}, {3, 3.5, 1.7, 10, 17, 8}, {17, 8, .05, 10, .1, 14}};
    static const double centre[4][6] = {{.1312, .1696, .5569, .0124, .8283, .5886},
                                        {.2329, .4135, .8307, .3736, .1004, .9991},
                                        {.2348, .1451, .3522, .2883, .3047, .6650},
                                        {.4047, .8828, .8732, .5743, .1091, .0381}};
    double sum = 0;
    (void)j;
    for (size_t i = 0; i < 4; i++) {
        double distance = 0;
        for (size_t d = 0; d < 6; d++) distance += rate[i][d] * (x[d] - centre[i][d]) * (x[d] - centre[i][d]);
        sum -= weight[i] * cp_math_exp(-distance);
    }
    return sum;
}

static size_t draw_around_hole(const job *j, cp_rng *rng, double *x) {
    (void)j;
    do {
        x[0] = uniform(rng, -1, 1);
        x[1] = uniform(rng, -1, 1);
    } while (x[0] * x[0] + x[1] * x[1] < .25);
    return 0;
}

static double hole(const job *j, const double *x) {
    (void)j;
    return cp_math_sin(3 * x[0]) + x[1] * x[1];
}

/* ---------------------------------------------------------------------------------------------------------- classes */

static const char *const moon_names[] = {"upper", "lower"}, *const ring_names[] = {"outer", "inner"};

/* The moons are half circles of radius 1, the upper one around (0, 0), the lower one around (1, .5). */
static size_t draw_moons(const job *j, cp_rng *rng, double *x) {
    size_t lower = cp_rng_u32(rng) & 1;
    double angle = uniform(rng, 0, pi);
    x[0] = (lower ? 1 - cp_math_cos(angle) : cp_math_cos(angle)) + j->noise * cp_draw_normal(rng);
    x[1] = (lower ? .5 - cp_math_sin(angle) : cp_math_sin(angle)) + j->noise * cp_draw_normal(rng);
    return lower;
}

/* Distance from the half circle of radius 1 above the origin. */
static double from_moon(double x, double y) {
    return y >= 0 ? fabs(distance(x, y) - 1) : distance(fabs(x) - 1, y);
}

/* The nearer moon, which is the most probable one if the noise is small against the curvature. */
static double moons(const job *j, const double *x) {
    (void)j;
    return from_moon(1 - x[0], .5 - x[1]) < from_moon(x[0], x[1]);
}

/* Breiman 1996, Bias, variance and arcing classifiers: two normal distributions.  The outer one is twice as wide; the
 * mean of the inner one is off its centre by 2/sqrt(dims) in each dimension. */
static size_t draw_ringnorm(const job *j, cp_rng *rng, double *x) {
    size_t inner = cp_rng_u32(rng) & 1;
    double centre = inner ? 2 / sqrt((double)j->dims) : 0, sd = j->noise * (inner ? 1 : 2);
    for (size_t d = 0; d < j->dims; d++) x[d] = centre + sd * cp_draw_normal(rng);
    return inner;
}

/* Compares the two log densities. */
static double ringnorm(const job *j, const double *x) {
    double centre = 2 / sqrt((double)j->dims), inner = 0, outer = 0;
    for (size_t d = 0; d < j->dims; d++) {
        inner += (x[d] - centre) * (x[d] - centre);
        outer += x[d] * x[d];
    }
    double unit = 2 * j->noise * j->noise;
    return -inner / unit > -outer / (4 * unit) - (double)j->dims * cp_math_log(2);
}

/* --------------------------------------------------------------------------------------------------- measured data */

/* Milliseconds after impact and head acceleration in g, from a test of motorcycle helmets: Schmidt, Mattern and
 * Schueler 1981, as printed in Silverman 1985, Journal of the Royal Statistical Society B 47, and known as mcycle in
 * R's MASS. */
static const double motorcycle[][2] = {
    {2.4, 0},       {2.6, -1.3},    {3.2, -2.7},    {3.6, 0},       {4, -2.7},      {6.2, -2.7},   {6.6, -2.7},
    {6.8, -1.3},    {7.8, -2.7},    {8.2, -2.7},    {8.8, -1.3},    {8.8, -2.7},    {9.6, -2.7},   {10, -2.7},
    {10.2, -5.4},   {10.6, -2.7},   {11, -5.4},     {11.4, 0},      {13.2, -2.7},   {13.6, -2.7},  {13.8, 0},
    {14.6, -13.3},  {14.6, -5.4},   {14.6, -5.4},   {14.6, -9.3},   {14.6, -16},    {14.6, -22.8}, {14.8, -2.7},
    {15.4, -22.8},  {15.4, -32.1},  {15.4, -53.5},  {15.4, -54.9},  {15.6, -40.2},  {15.6, -21.5}, {15.8, -21.5},
    {15.8, -50.8},  {16, -42.9},    {16, -26.8},    {16.2, -21.5},  {16.2, -50.8},  {16.2, -61.7}, {16.4, -5.4},
    {16.4, -80.4},  {16.6, -59},    {16.8, -71},    {16.8, -91.1},  {16.8, -77.7},  {17.6, -37.5}, {17.6, -85.6},
    {17.6, -123.1}, {17.6, -101.9}, {17.8, -99.1},  {17.8, -104.4}, {18.6, -112.5}, {18.6, -50.8}, {19.2, -123.1},
    {19.4, -85.6},  {19.4, -72.3},  {19.6, -127.2}, {20.2, -123.1}, {20.4, -117.9}, {21.2, -134},  {21.4, -101.9},
    {21.8, -108.4}, {22, -123.1},   {23.2, -123.1}, {23.4, -128.5}, {24, -112.5},   {24.2, -95.1}, {24.2, -81.8},
    {24.6, -53.5},  {25, -64.4},    {25, -57.6},    {25.4, -72.3},  {25.4, -44.3},  {25.6, -26.8}, {26, -5.4},
    {26.2, -107.1}, {26.2, -21.5},  {26.4, -65.6},  {27, -16},      {27.2, -45.6},  {27.2, -24.2}, {27.2, 9.5},
    {27.6, 4},      {28.2, 12},     {28.4, -21.5},  {28.4, 37.5},   {28.6, 46.9},   {29.4, -17.4}, {30.2, 36.2},
    {31, 75},       {31.2, 8.1},    {32, 54.9},     {32, 48.2},     {32.8, 46.9},   {33.4, 16},    {33.8, 45.6},
    {34.4, 1.3},    {34.8, 75},     {35.2, -16},    {35.2, -54.9},  {35.4, 69.6},   {35.6, 34.8},  {35.6, 32.1},
    {36.2, -37.5},  {36.2, 22.8},   {38, 46.9},     {38, 10.7},     {39.2, 5.4},    {39.4, -1.3},  {40, -21.5},
    {40.4, -13.3},  {41.6, 30.8},   {41.6, -10.7},  {42.4, 29.4},   {42.8, 0},      {42.8, -10.7}, {43, 14.7},
    {44, -1.3},     {44.4, 0},      {45, 10.7},     {46.6, 10.7},   {47.8, -26.8},  {47.8, -14.7}, {48.8, -13.3},
    {50.6, 0},      {52, 10.7},     {53.2, -14.7},  {55, -2.7},     {55, 10.7},     {55.4, -2.7},  {57.6, 10.7}};
enum { MOTORCYCLE_ROWS = sizeof motorcycle / sizeof *motorcycle };

static copse_status make_motorcycle(const cp_synth_options *opt, copse_table **out, copse_error *err) {
    cp_column *c;
    if (opt->dims > 1) return cp_fail(err, COPSE_E_USAGE, "motorcycle has 1 column, not %zu", opt->dims);
    if (opt->noise > 0 || opt->with_truth)
        return cp_fail(err, COPSE_E_USAGE, "motorcycle is measured: it has neither a noise to choose nor a truth");
    copse_table *t;
    CP_TRY(cp_table_new(MOTORCYCLE_ROWS, &t, err));
    copse_status status = cp_table_add(t, "x1", COPSE_NUMBER, &c, err);
    if (!status) status = cp_table_add(t, "target", COPSE_NUMBER, &c, err);
    if (status) {
        cp_table_free(t);
        return status;
    }
    for (size_t i = 0; i < MOTORCYCLE_ROWS; i++) {
        t->col[0].number[i] = motorcycle[i][0];
        t->col[1].number[i] = motorcycle[i][1];
    }
    *out = t;
    return COPSE_OK;
}

/* --------------------------------------------------------------------------------------------------------- the list */

static const set sets[] = {
    {"friedman1", "10 sin(pi x1 x2) + 20 (x3 - .5)^2 + 10 x4 + 5 x5, further columns are noise", 10, 5, 1000000, 1,
     NULL, draw_cube, friedman1},
    {"friedman2", "impedance of a circuit", 4, 4, 4, 125, NULL, draw_circuit, friedman2},
    {"friedman3", "phase of a circuit", 4, 4, 4, .1, NULL, draw_circuit, friedman3},
    {"hypercube", "the 2^D corners of a cube, each with a value of its own", 3, 1, 30, .01, NULL, draw_corner,
     hypercube},
    {"branin", "a valley with three equal minima", 2, 2, 2, 0, NULL, draw_branin, branin},
    {"hartmann6", "six minima in six dimensions, one of them global", 6, 6, 6, 0, NULL, draw_cube, hartmann6},
    {"hole", "a square without its middle: uncertainty should be larger there", 2, 2, 2, .1, NULL, draw_around_hole,
     hole},
    {"moons", "two interlocked half circles, two classes", 2, 2, 2, .2, moon_names, draw_moons, moons},
    {"ringnorm", "a narrow normal cloud within a wide one, two classes", 20, 1, 1000000, 1, ring_names, draw_ringnorm,
     ringnorm},
    {"motorcycle", "the motorcycle helmet data: 133 measured rows, whatever the options", 1, 1, 1, 0, NULL, NULL, NULL},
};
enum { SETS = sizeof sets / sizeof *sets };

const char *cp_synth_name(size_t i) {
    return i < SETS ? sets[i].name : NULL;
}

const char *cp_synth_summary(size_t i) {
    return i < SETS ? sets[i].summary : NULL;
}

static copse_status find_set(const char *name, const set **out, copse_error *err) {
    cp_suggest similar = {.word = name};
    for (size_t i = 0; i < SETS; i++) {
        *out = &sets[i];
        if (strcmp(name, sets[i].name) == 0) return COPSE_OK;
        cp_suggest_try(&similar, sets[i].name);
    }
    if (similar.best)
        return cp_fail(err, COPSE_E_USAGE, "there is no data set '%.80s'. Did you mean '%s'?", name, similar.best);
    return cp_fail(err, COPSE_E_USAGE, "there is no data set '%.80s': copse synth lists them", name);
}

/* ----------------------------------------------------------------------------------------------------------- tables */

static copse_status make_job(const set *s, const cp_synth_options *opt, job *out, copse_error *err) {
    *out = (job){s, opt->dims ? opt->dims : s->dims, opt->noise < 0 ? s->noise : opt->noise, opt->seed};
    if (opt->rows == 0) return cp_fail(err, COPSE_E_USAGE, "a data set needs at least one row");
    if (!isfinite(out->noise)) return cp_fail(err, COPSE_E_USAGE, "the noise must be a finite number");
    if (s->min_dims == s->max_dims && out->dims != s->dims)
        return cp_fail(err, COPSE_E_USAGE, "%s has %zu column%s, not %zu", s->name, s->dims, cp_plural(s->dims),
                       out->dims);
    if (out->dims < s->min_dims || out->dims > s->max_dims)
        return cp_fail(err, COPSE_E_USAGE, "%s takes %zu to %zu columns, not %zu", s->name, s->min_dims, s->max_dims,
                       out->dims);
    if (s->classes && !(out->noise > 0)) return cp_fail(err, COPSE_E_USAGE, "%s needs a noise above 0", s->name);
    return COPSE_OK;
}

/* Adds levels in order of first appearance (T2). */
static copse_status put(cp_column *c, size_t row, const char *const *classes, double value, copse_error *err) {
    if (!classes) {
        c->number[row] = value;
        return COPSE_OK;
    }
    const char *name = classes[(size_t)value];
    return cp_dict_add(&c->levels, name, strlen(name), &c->code[row], err);
}

static copse_status fill_row(const job *j, size_t row, double *x, int with_truth, copse_table *t, copse_error *err) {
    const set *s = j->set;
    cp_rng rng;
    cp_rng_init(&rng, j->seed, CP_FOR_SYNTH, 0, row);
    size_t label = s->draw(j, &rng, x);
    double truth = s->truth(j, x);
    for (size_t d = 0; d < j->dims; d++) t->col[d].number[row] = x[d];
    CP_TRY(put(&t->col[j->dims], row, s->classes, s->classes ? (double)label : truth + j->noise * cp_draw_normal(&rng),
               err));
    return with_truth ? put(&t->col[j->dims + 1], row, s->classes, truth, err) : COPSE_OK;
}

static copse_status add_columns(const job *j, int with_truth, copse_table *t, copse_error *err) {
    copse_kind kind = j->set->classes ? COPSE_TEXT : COPSE_NUMBER;
    cp_column *c;
    for (size_t d = 0; d < j->dims; d++) {
        char name[24];
        snprintf(name, sizeof name, "x%zu", d + 1);
        CP_TRY(cp_table_add(t, name, COPSE_NUMBER, &c, err));
    }
    CP_TRY(cp_table_add(t, "target", kind, &c, err));
    return with_truth ? cp_table_add(t, "truth", kind, &c, err) : COPSE_OK;
}

copse_status cp_synth_new(const char *name, const cp_synth_options *opt, copse_table **out, copse_error *err) {
    const set *s;
    job j;
    copse_table *t = NULL;
    double *x = NULL;
    copse_status status;
    *out = NULL;
    CP_TRY(find_set(name, &s, err));
    if (!s->draw) return make_motorcycle(opt, out, err);
    CP_TRY(make_job(s, opt, &j, err));
    CP_TRY_OUT(CP_RAW(x, j.dims, err));
    CP_TRY_OUT(cp_table_new(opt->rows, &t, err));
    CP_TRY_OUT(add_columns(&j, opt->with_truth, t, err));
    for (size_t i = 0; i < opt->rows; i++) CP_TRY_OUT(fill_row(&j, i, x, opt->with_truth, t, err));
    *out = t;
    t = NULL;
out:
    cp_table_free(t);
    cp_mem_free(x);
    return status;
}
