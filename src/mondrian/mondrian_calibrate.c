#include "mondrian/mondrian_calibrate.h"

#include <math.h>
#include <xxhash.h>

#include "base/parallel.h"
#include "method/row_groups.h"
#include "mondrian/mondrian_counts.h"
#include "mondrian/mondrian_grow.h"
#include "mondrian/mondrian_path.h"
#include "num/math.h"
#include "num/normal.h"

/* Held out are HELD rows in all, at most a FOLDS-th of the rows at a time; trees, as many as the forest's but no more
 * than MOST_TREES, are grown on no more than LEARN. */
enum { FOLDS = 10, MOST_TREES = 20, HELD = 800, LEARN = 20000, LEAST = 16 };

/* Strengths that are tried. */
static const double strengths[] = {0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000};
enum { STRENGTHS = sizeof strengths / sizeof *strengths };

typedef struct study {
    cp_mondrian *f;
    const copse_run *run;
    cp_mondrian_space space; /* the forest's first rows */
    size_t folds, fold, most_held;
    double share;           /* of the rows that a fold holds out */
    cp_mondrian_tree *tree; /* grown without a fold */
    size_t trees;
    double *order; /* for each row its place in the order of held-out rows, in folds; INFINITY: never held out */
    int32_t *learn, *held;   /* rows of this fold */
    size_t learns, holds, n; /* how many; n: rows predicted in all folds */
    cp_mondrian_paths paths;
    int32_t *row; /* of each prediction */
    /* classes */
    double *base, *probs; /* for each row and strength the mean of the trees; the logarithm of its ratio to base */
    /* numbers */
    cp_mondrian_stat moments;
    cp_mondrian_hyper hyper;
    cp_answer answer;
    double *size;
} study;

/* ------------------------------------------------------------------------------------------------------------ folds */

/* A number in [0, 1) that depends on a row's features alone. */
static double place(const study *s, size_t row) {
    uint64_t h = XXH64(cp_mondrian_tree_row(&s->space, (int32_t)row), s->space.dims * sizeof(float), s->f->seed + 1);
    return (double)(h >> 11) * 0x1p-53;
}

/* Rows that would tell each other's answer are held out together (method/row_groups.h); groups follow each other. */
static copse_status order_rows(study *s, copse_error *err) {
    const cp_mondrian_space *space = &s->space;
    const cp_rows rows = {.task = s->f->task,
                          .n = space->rows,
                          .dims = space->dims,
                          .classes = space->classes,
                          .x = space->x,
                          .y = space->y,
                          .label = space->label};
    const double fold = s->share * (double)space->rows;
    cp_row_groups g = {0};
    uint32_t *row;
    CP_TRY(CP_RAW(row, space->rows, err));
    for (size_t i = 0; i < space->rows; i++) {
        row[i] = (uint32_t)i;
        s->order[i] = INFINITY;
    }
    size_t wanted = (size_t)ceil((double)s->folds * fold) + 1;
    cp_row_groups_ask ask = {.row = row, .n = space->rows, .least = 2 * s->folds, .seed = s->f->seed};
    if (wanted < space->rows) ask.wanted = wanted;
    copse_status status = cp_row_groups_init(&g, &rows, &ask, err);
    for (size_t k = 0; k < g.groups && !status; k++)
        for (size_t i = g.start[k]; i < g.start[k + 1]; i++) s->order[g.row[i]] = (double)g.start[k] / fold;
    cp_row_groups_clear(&g);
    cp_mem_free(row);
    return status;
}

static void make_folds(study *s, size_t rows) {
    double n = (double)rows;
    s->share = fmin(1.0 / FOLDS, HELD / n);
    double folds = ceil(HELD / (s->share * n));
    s->folds = folds < FOLDS ? (size_t)folds : FOLDS;
    size_t cells = s->f->task == COPSE_CLASS ? STRENGTHS * s->space.classes : 1, most = (size_t)1 << 22;
    s->most_held = HELD * cells < most ? HELD : most / cells + 1;
}

static void divide(study *s) {
    double keep = LEARN / ((double)s->space.rows + 1);
    s->learns = s->holds = 0;
    for (size_t i = 0; i < s->space.rows; i++) {
        double at = s->order[i];
        if (at >= (double)s->fold && at < (double)s->fold + 1) {
            if (s->n + s->holds < s->most_held) s->held[s->holds++] = (int32_t)i;
        } else if (keep >= 1 || place(s, i) < keep) {
            s->learn[s->learns++] = (int32_t)i;
        }
    }
}

/* ------------------------------------------------------------------------------------------------------------ trees */

static copse_status grow_tree(void *arg, size_t m, size_t worker, copse_error *err) {
    (void)worker;
    const study *s = arg;
    cp_mondrian_tree *t = &s->tree[m];
    cp_mondrian_grow_scratch rows;
    cp_arena arena;
    cp_rng rng;
    cp_arena_init(&arena);
    t->nodes = t->boxes = t->counts = t->sets = t->choices = 0; /* the memory of the fold before serves again */
    copse_status status = cp_mondrian_grow_alloc(&rows, s->learns, &s->space, &arena, err);
    if (!status) status = cp_mondrian_grow_reserve(t, &s->space, s->learns, err);
    if (!status) {
        cp_rng_init(&rng, s->f->seed, CP_FOR_CALIBRATE, (uint32_t)(s->fold * MOST_TREES + m), s->space.rows);
        memcpy(rows.row, s->learn, s->learns * sizeof *rows.row);
        cp_mondrian_block all = {cp_mondrian_grow_node(t), 0, 0, rows.row, s->learns};
        cp_mondrian_grow(t, &s->space, all, &rows, &rng);
        if (s->space.keeps_counts) status = cp_mondrian_counts_build(t, NULL, NULL, err);
    }
    cp_arena_clear(&arena);
    return status;
}

static copse_status predict_class(study *s, const float *x, copse_error *err) {
    size_t classes = s->space.classes;
    double *out = s->probs + s->n * STRENGTHS * classes;
    for (size_t m = 0; m < s->trees; m++) {
        CP_TRY(cp_mondrian_path_find(&s->paths, &s->tree[m], &s->space, x, 1, err));
        for (size_t a = 0; a < STRENGTHS; a++)
            cp_mondrian_counts_predict(&s->tree[m], strengths[a], s->base, classes, &s->paths.path[0],
                                       out + a * classes);
    }
    for (size_t k = 0; k < STRENGTHS * classes; k++) out[k] /= (double)s->trees;
    return COPSE_OK;
}

static copse_status predict_number(study *s, const float *x, copse_error *err) {
    const cp_mondrian_gauss_sink sink = {&s->hyper, 0, 1 / (double)s->trees, &s->answer, &s->size[s->n]};
    for (size_t m = 0; m < s->trees; m++) {
        CP_TRY(cp_mondrian_path_find(&s->paths, &s->tree[m], &s->space, x, 1, err));
        CP_TRY(cp_mondrian_gauss_predict(&s->tree[m], &s->space, &s->paths.path[0], &sink, err));
    }
    cp_answer_end_row(&s->answer);
    return COPSE_OK;
}

/* Grows trees without the rows of a fold, and predicts those. */
static copse_status run_fold(study *s, copse_error *err) {
    divide(s);
    if (s->learns < 2 || s->holds == 0) return COPSE_OK;
    CP_TRY(cp_parallel_for(s->run, cp_parallel_workers(s->run, s->trees), s->trees, "calibrating", grow_tree, s, err));
    if (s->space.keeps_counts) cp_mondrian_counts_base(&s->tree[0], s->space.classes, s->base);
    for (size_t i = 0; i < s->holds; i++, s->n++) {
        const float *x = cp_mondrian_tree_row(&s->space, s->held[i]);
        s->row[s->n] = s->held[i];
        CP_TRY(s->space.keeps_counts ? predict_class(s, x, err) : predict_number(s, x, err));
    }
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- classes */

/* Minus the log likelihood of the held-out labels, for the probabilities of one strength. */
static double class_loss(const study *s, size_t strength, double sharpness, double *scratch) {
    size_t classes = s->space.classes;
    cp_mondrian_honest h = {.sharpness = sharpness};
    double loss = (sharpness - 1) * (sharpness - 1); /* few rows change little */
    for (size_t i = 0; i < s->n; i++) {
        const double *p = s->probs + (i * STRENGTHS + strength) * classes;
        memcpy(scratch, p, classes * sizeof *scratch);
        cp_mondrian_honest_classes(&h, (double)s->space.rows, s->base, classes, scratch);
        loss -= cp_math_log(scratch[s->space.label[s->row[i]]]);
    }
    return loss;
}

/* The best sharpness, by golden section: without the share of e the loss is convex. */
static double find_sharpness(const study *s, size_t strength, double *scratch, double *out_loss) {
    const double golden = 0.61803398874989485;
    double low = 0, high = 6, a = high - golden * high, b = golden * high;
    double at_a = class_loss(s, strength, a, scratch), at_b = class_loss(s, strength, b, scratch);
    for (int step = 0; step < 16; step++)
        if (at_a < at_b) {
            high = b, b = a, at_b = at_a;
            a = high - golden * (high - low);
            at_a = class_loss(s, strength, a, scratch);
        } else {
            low = a, a = b, at_a = at_b;
            b = low + golden * (high - low);
            at_b = class_loss(s, strength, b, scratch);
        }
    *out_loss = fmin(at_a, at_b);
    return at_a < at_b ? a : b;
}

static copse_status choose_classes(study *s, cp_mondrian_honest *h, copse_error *err) {
    double *scratch, best = INFINITY;
    CP_TRY(CP_RAW(scratch, s->space.classes, err));
    for (size_t a = 0; a < STRENGTHS; a++) {
        double loss, sharpness = find_sharpness(s, a, scratch, &loss);
        if (!(loss < best)) continue;
        best = loss;
        h->strength = strengths[a];
        h->sharpness = sharpness;
    }
    cp_mem_free(scratch);
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- numbers */

/* The number below which lies a share of n numbers, which are sorted here. */
static void sort(double *x, size_t n) {
    for (size_t gap = n / 2; gap; gap /= 2)
        for (size_t i = gap; i < n; i++)
            for (size_t k = i; k >= gap && x[k] < x[k - gap]; k -= gap) {
                double swap = x[k];
                x[k] = x[k - gap];
                x[k - gap] = swap;
            }
}

/* What a row's components say of its target, once scaled: density and cdf. */
typedef struct verdict {
    double density, cdf;
} verdict;

static verdict judge(const cp_component *c, size_t n, double y, double *z) {
    verdict v = {0};
    for (size_t k = 0; k < n; k++) z[k] = (y - c[k].loc) / c[k].scale;
    cp_normal_many(z, n, z + n, z + 2 * n);
    for (size_t k = 0; k < n; k++) {
        v.cdf += c[k].weight * z[n + k];
        v.density += c[k].weight / c[k].scale * z[2 * n + k];
    }
    return v;
}

/* Minus the log likelihood of the held-out targets, and what it costs that their 90 % intervals do not hold 90 %: where
 * targets are whole numbers, likelihood alone asks for spikes at them.  One part in a thousand of each density is that
 * of all targets together, so that a few outliers do not decide. */
static double number_loss(const study *s, const cp_mondrian_honest *h, cp_component *c, double *z) {
    const double few = 1e-3, level = 0.9, miss_cost = 100, outside = (1 - level) / 2;
    double var = s->moments.m2 / s->moments.n, wide = 3 * sqrt(var + s->hyper.floor),
           log_within = cp_math_log(h->within), log_between = cp_math_log(h->between),
           loss = log_within * log_within + log_between * log_between, held = 0;
    for (size_t i = 0; i < s->n; i++) {
        const cp_component *from = s->answer.comp + s->answer.start[i];
        size_t n = s->answer.start[i + 1] - s->answer.start[i];
        double y = s->space.y[s->row[i]], off = fmin(fabs(y - s->moments.mean) / wide, 20);
        memcpy(c, from, n * sizeof *c);
        cp_mondrian_honest_numbers(h, (cp_mondrian_spread){s->size[i], s->moments.n, var}, c, n);
        verdict v = judge(c, n, y, z);
        held += v.cdf >= outside && v.cdf <= 1 - outside;
        loss -= cp_math_log((1 - few) * v.density + few * 0.3989422804014327 / wide * cp_math_exp(-0.5 * off * off));
    }
    double miss = held / (double)s->n - level;
    return loss + (double)s->n * miss_cost * miss * miss;
}

/* The best scales, by steps in their logarithms that become shorter. */
static void search_scales(const study *s, cp_mondrian_honest *h, cp_component *c, double *z) {
    static const double least = 0.02, most = 20;
    double best = number_loss(s, h, c, z);
    for (double step = 0.4; step > 0.03; step /= 2)
        for (int moved = 1; moved;) {
            moved = 0;
            for (int k = 0; k < 4; k++) {
                cp_mondrian_honest next = *h;
                double *scale = k < 2 ? &next.within : &next.between;
                *scale *= cp_math_exp(k % 2 ? step : -step);
                if (*scale < least || *scale > most) continue;
                double loss = number_loss(s, &next, c, z);
                if (!(loss < best)) continue;
                best = loss;
                *h = next;
                moved = 1;
            }
        }
}

static copse_status choose_numbers(study *s, cp_mondrian_honest *h, copse_error *err) {
    size_t most = 1;
    double *z = NULL, *sorted = NULL;
    cp_component *c = NULL;
    copse_status status = COPSE_OK;
    for (size_t i = 0; i < s->n; i++)
        if (s->answer.start[i + 1] - s->answer.start[i] > most) most = s->answer.start[i + 1] - s->answer.start[i];
    CP_TRY_OUT(CP_RAW(z, 3 * most, err));
    CP_TRY_OUT(CP_RAW(c, most, err));
    CP_TRY_OUT(CP_RAW(sorted, s->n, err));
    memcpy(sorted, s->size, s->n * sizeof *sorted);
    sort(sorted, s->n);
    h->near = sorted[(s->n - 1) * 9 / 10];
    h->far = fmax(sorted[(s->n - 1) * 99 / 100], h->near + 0.01);
    search_scales(s, h, c, z);
out:
    cp_mem_free(z);
    cp_mem_free(c);
    cp_mem_free(sorted);
    return status;
}

/* -------------------------------------------------------------------------------------------------------------- all */

static void init_space(study *s, size_t rows) {
    cp_mondrian *f = s->f;
    s->space = f->space;
    s->space.rows = rows;
    if (f->task == COPSE_CLASS) {
        s->space.classes = 1; /* those that these rows have: classes may have been added since */
        for (size_t i = 0; i < rows; i++)
            if ((size_t)f->label[i] >= s->space.classes) s->space.classes = (size_t)f->label[i] + 1;
        return;
    }
    for (size_t i = 0; i < rows; i++) cp_mondrian_gauss_learn(&s->moments, f->y[i]);
    s->hyper = f->marginal ? f->hyper
                           : cp_mondrian_gauss_heuristic(f->space.dims, s->moments.n, s->moments.mean,
                                                         s->moments.m2 / s->moments.n);
}

static copse_status alloc(study *s, copse_error *err) {
    size_t rows = s->space.rows, held = rows < s->most_held ? rows : s->most_held;
    CP_TRY(CP_NEW(s->tree, s->trees, err));
    CP_TRY(CP_RAW(s->learn, rows, err));
    CP_TRY(CP_RAW(s->held, rows, err));
    CP_TRY(CP_RAW(s->order, rows, err));
    CP_TRY(CP_RAW(s->row, held, err));
    if (s->f->task == COPSE_CLASS) {
        CP_TRY(CP_RAW(s->base, s->space.classes, err));
        return CP_NEW(s->probs, held * STRENGTHS * s->space.classes, err);
    }
    CP_TRY(CP_NEW(s->size, held, err));
    return cp_answer_init(&s->answer, COPSE_REGRESS, held, 0, err);
}

static void clear(study *s) {
    for (size_t m = 0; s->tree && m < s->trees; m++) cp_mondrian_tree_clear(&s->tree[m]);
    cp_mem_free(s->tree);
    cp_mem_free(s->learn);
    cp_mem_free(s->held);
    cp_mem_free(s->order);
    cp_mem_free(s->row);
    cp_mem_free(s->base);
    cp_mem_free(s->probs);
    cp_mem_free(s->size);
    cp_answer_clear(&s->answer);
    cp_mondrian_path_clear(&s->paths);
}

copse_status cp_mondrian_calibrate(cp_mondrian *f, size_t rows, const copse_run *run, copse_error *err) {
    study s = {.f = f, .run = run, .trees = f->trees < MOST_TREES ? f->trees : MOST_TREES};
    cp_mondrian_honest h = cp_mondrian_honest_plain();
    copse_status status = COPSE_OK;
    h.rows = rows;
    init_space(&s, rows);
    if (rows >= LEAST) {
        make_folds(&s, rows);
        CP_TRY_OUT(alloc(&s, err));
        CP_TRY_OUT(order_rows(&s, err));
        for (s.fold = 0; s.fold < s.folds; s.fold++) CP_TRY_OUT(run_fold(&s, err));
        if (s.n > 0) CP_TRY_OUT(f->task == COPSE_CLASS ? choose_classes(&s, &h, err) : choose_numbers(&s, &h, err));
    }
    f->honest = h;
out:
    clear(&s);
    return status;
}

size_t cp_mondrian_calibrate_due(const cp_mondrian *f) {
    size_t next = 2 * f->honest.rows;
    if (!f->honest.on) return SIZE_MAX;
    return next > f->space.rows ? next - f->space.rows : 0;
}

copse_status cp_mondrian_calibrate_again(cp_mondrian *f, const copse_run *run, copse_error *err) {
    size_t rows = f->honest.rows;
    if (!f->honest.on || rows == 0) return COPSE_OK;
    while (rows <= f->space.rows / 2) rows *= 2;
    return rows > f->honest.rows ? cp_mondrian_calibrate(f, rows, run, err) : COPSE_OK;
}
