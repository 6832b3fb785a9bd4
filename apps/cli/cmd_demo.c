/* demo - a tour of the program on built-in data: regression, classification, and a hole in the data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli_data.h"
#include "cli_json.h"
#include "cli_out.h"
#include "cli_scores.h"
#include "demo_chart.h"

enum { FOLDS = 10, GRID = 421, CELLS = 60 };

typedef struct demo_job {
    char *curve_path, *map_path;
    copse_scores numbers, classes, hole;
    double width_among, width_gap; /* mean width of the 90% interval among the data and in the gap, in g */
    double sd_among, sd_hole;      /* mean predictive sd around the hole and in the middle of it */
} demo_job;

/* Pictures are written to -o FILE.svg and FILE-hole.svg. */
static copse_status name_pictures(const cli *c, demo_job *d, copse_error *err) {
    const char *path = cli_args_text(&c->args, "output");
    if (!path) path = "copse-demo.svg";
    size_t n = strlen(path), stem = n > 4 && strcmp(path + n - 4, ".svg") == 0 ? n - 4 : n;
    d->curve_path = malloc(n + 1);
    d->map_path = malloc(n + 16);
    if (!d->curve_path || !d->map_path) return cli_fail_memory(err);
    memcpy(d->curve_path, path, n + 1);
    snprintf(d->map_path, n + 16, "%.*s-hole%s", (int)stem, path, path + stem);
    return COPSE_OK;
}

/* A forest whose variances maximise the marginal likelihood. */
static copse_status new_params(const char *trees, copse_params **out, copse_error *err) {
    CLI_TRY(copse_params_new("mondrian", out, err));
    CLI_TRY(copse_params_set(*out, "trees", trees, err));
    return copse_params_set(*out, "hyper", "marginal", err);
}

static copse_status fit(cli *c, const copse_table *t, const copse_roles *roles, const char *trees, copse_model **out,
                        copse_error *err) {
    copse_params *params = NULL;
    copse_status status = new_params(trees, &params, err);
    if (!status) status = copse_fit(t, roles, params, &c->run, out, err);
    copse_params_free(params);
    return status;
}

static copse_status cross_validate(cli *c, const copse_table *t, const copse_roles *roles, copse_scores *out,
                                   copse_error *err) {
    copse_scores fold[FOLDS];
    copse_params *params = NULL;
    copse_status status = new_params("100", &params, err);
    if (!status)
        status = copse_cv(t, roles, &(copse_cv_options){.params = params, .folds = FOLDS, .repeats = 1, .seed = 1},
                          &c->run, fold, err);
    if (!status) cli_scores_average(fold, FOLDS, out);
    copse_params_free(params);
    return status;
}

/* ----------------------------------------------------------------------------------------------------- numbers */

/* Milliseconds: the range of the picture, and the gap whose rows are held out. */
static const double shown_from = -12, shown_to = 72, gap_from = 35.5, gap_to = 42.5;

/* The table without the rows in the gap. */
static copse_status without_gap(const copse_table *t, size_t x, copse_table **out, copse_error *err) {
    size_t n = 0, rows = copse_table_rows(t), *kept = malloc((rows + 1) * sizeof *kept);
    if (!kept) return cli_fail_memory(err);
    for (size_t i = 0; i < rows; i++) {
        double at = copse_table_number(t, i, x);
        if (at <= gap_from || at >= gap_to) kept[n++] = i;
    }
    copse_status status = copse_table_select(t, kept, n, out, err);
    free(kept);
    return status;
}

static copse_status predict_line(cli *c, const copse_model *m, copse_prediction **out, copse_error *err) {
    double x[GRID];
    copse_table *grid = NULL;
    copse_status status = COPSE_OK;
    for (size_t i = 0; i < GRID; i++) x[i] = shown_from + (shown_to - shown_from) * (double)i / (GRID - 1);
    CLI_TRY_OUT(copse_table_new(GRID, &grid, err));
    CLI_TRY_OUT(copse_table_add_numbers(grid, copse_model_feature(m, 0), x, err));
    CLI_TRY_OUT(copse_predict(m, grid, &(copse_predict_options){.n = GRID}, &c->run, out, err));
out:
    copse_table_free(grid);
    return status;
}

static void fill_curve(demo_curve *k, const copse_prediction *p, const copse_table *t, size_t x, svg_point *point) {
    for (size_t i = 0; i < k->n; i++) {
        double at = shown_from + (shown_to - shown_from) * (double)i / (GRID - 1);
        k->mean[i] = (svg_point){at, copse_prediction_mean(p, i)};
        k->low50[i] = (svg_point){at, copse_prediction_quantile(p, i, .25)};
        k->high50[i] = (svg_point){at, copse_prediction_quantile(p, i, .75)};
        k->low90[i] = (svg_point){at, copse_prediction_quantile(p, i, .05)};
        k->high90[i] = (svg_point){at, copse_prediction_quantile(p, i, .95)};
    }
    for (size_t i = 0; i < k->points; i++) {
        point[i] = (svg_point){copse_table_number(t, i, x), copse_table_number(t, i, copse_table_find(t, "target"))};
        k->data_from = fmin(k->data_from, point[i].x);
        k->data_to = fmax(k->data_to, point[i].x);
    }
}

/* The mean width of the 90% band where from <= x <= to. */
static double band_width(const demo_curve *k, double from, double to) {
    double sum = 0, n = 0;
    for (size_t i = 0; i < k->n; i++) {
        if (k->mean[i].x < from || k->mean[i].x > to) continue;
        sum += k->high90[i].y - k->low90[i].y;
        n++;
    }
    return sum / n;
}

static copse_status draw_curve(demo_job *d, const copse_prediction *p, const copse_table *t, size_t x,
                               copse_error *err) {
    size_t rows = copse_table_rows(t);
    cli_out out = {0};
    copse_status status = COPSE_OK;
    svg_point *memory = calloc((size_t)5 * GRID + rows, sizeof *memory);
    if (!memory) return cli_fail_memory(err);
    demo_curve k = {.n = GRID, .points = rows, .gap_from = gap_from, .gap_to = gap_to, .data_from = INFINITY};
    k.data_to = -INFINITY;
    k.mean = memory;
    k.low50 = memory + GRID;
    k.high50 = memory + (size_t)2 * GRID;
    k.low90 = memory + (size_t)3 * GRID;
    k.high90 = memory + (size_t)4 * GRID;
    k.point = memory + (size_t)5 * GRID;
    fill_curve(&k, p, t, x, memory + (size_t)5 * GRID);
    d->width_gap = band_width(&k, gap_from, gap_to);
    d->width_among = band_width(&k, 24, 34);
    CLI_TRY_OUT(cli_out_open(&out, d->curve_path, err));
    demo_chart_curve(out.file, &k);
    CLI_TRY_OUT(cli_out_commit(&out, err));
out:
    cli_out_abandon(&out);
    free(memory);
    return status;
}

static copse_status tour_numbers(cli *c, demo_job *d, copse_error *err) {
    const copse_roles roles = {.target = "target", .task = COPSE_REGRESS};
    copse_table *all = NULL, *seen = NULL;
    copse_model *model = NULL;
    copse_prediction *p = NULL;
    copse_status status = COPSE_OK;
    CLI_TRY_OUT(copse_synth("motorcycle", &(copse_synth_options){.seed = 1}, &all, err));
    CLI_TRY_OUT(cross_validate(c, all, &roles, &d->numbers, err));
    size_t x = copse_table_find(all, "target") == 0 ? 1 : 0;
    CLI_TRY_OUT(without_gap(all, x, &seen, err));
    CLI_TRY_OUT(fit(c, seen, &roles, "100", &model, err));
    CLI_TRY_OUT(predict_line(c, model, &p, err));
    CLI_TRY_OUT(draw_curve(d, p, all, x, err));
out:
    copse_prediction_free(p);
    copse_model_free(model);
    copse_table_free(seen);
    copse_table_free(all);
    return status;
}

/* ----------------------------------------------------------------------------------------------------- classes */

static copse_status tour_classes(cli *c, demo_job *d, copse_error *err) {
    const copse_roles roles = {.target = "target", .task = COPSE_CLASS};
    copse_table *train = NULL, *test = NULL;
    copse_model *model = NULL;
    copse_status status = COPSE_OK;
    CLI_TRY_OUT(copse_synth("moons", &(copse_synth_options){.rows = 1000, .seed = 1}, &train, err));
    CLI_TRY_OUT(copse_synth("moons", &(copse_synth_options){.rows = 1000, .seed = 2}, &test, err));
    CLI_TRY_OUT(fit(c, train, &roles, "100", &model, err));
    CLI_TRY_OUT(copse_eval(model, test, NULL, &c->run, &d->classes, err));
out:
    copse_model_free(model);
    copse_table_free(test);
    copse_table_free(train);
    return status;
}

/* -------------------------------------------------------------------------------------------------------- hole */

static const double map_edge = 1.6; /* the picture shows [-1.6, 1.6] squared; the data end at 1 */

static copse_status predict_map(cli *c, const copse_model *m, double *out_sd, copse_error *err) {
    enum { N = CELLS * CELLS };
    double *x = malloc((size_t)2 * N * sizeof *x);
    copse_table *grid = NULL;
    copse_prediction *p = NULL;
    copse_status status = COPSE_OK;
    if (!x) return cli_fail_memory(err);
    for (size_t i = 0; i < N; i++) {
        x[i] = map_edge * (2 * ((double)(i % CELLS) + .5) / CELLS - 1);
        x[N + i] = map_edge * (2 * ((double)(i / CELLS) + .5) / CELLS - 1);
    }
    CLI_TRY_OUT(copse_table_new(N, &grid, err));
    CLI_TRY_OUT(copse_table_add_numbers(grid, copse_model_feature(m, 0), x, err));
    CLI_TRY_OUT(copse_table_add_numbers(grid, copse_model_feature(m, 1), x + N, err));
    CLI_TRY_OUT(copse_predict(m, grid, &(copse_predict_options){.n = N}, &c->run, &p, err));
    for (size_t i = 0; i < N; i++) out_sd[i] = copse_prediction_sd(p, i);
out:
    copse_prediction_free(p);
    copse_table_free(grid);
    free(x);
    return status;
}

/* The mean sd over the cells whose distance from the middle of the hole is in [from, to]. */
static double mean_sd(const double *sd, double from, double to) {
    double sum = 0, n = 0;
    for (size_t i = 0; i < (size_t)CELLS * CELLS; i++) {
        double x = map_edge * (2 * ((double)(i % CELLS) + .5) / CELLS - 1);
        double y = map_edge * (2 * ((double)(i / CELLS) + .5) / CELLS - 1), r = sqrt(x * x + y * y);
        if (r < from || r > to) continue;
        sum += sd[i];
        n++;
    }
    return sum / n;
}

static copse_status draw_map(const demo_job *d, const double *sd, const copse_table *t, copse_error *err) {
    size_t rows = copse_table_rows(t);
    svg_point *point = malloc((rows + 1) * sizeof *point);
    cli_out out = {0};
    copse_status status = COPSE_OK;
    if (!point) return cli_fail_memory(err);
    for (size_t i = 0; i < rows; i++) point[i] = (svg_point){copse_table_number(t, i, 0), copse_table_number(t, i, 1)};
    demo_map m = {.n = CELLS, .min = -map_edge, .max = map_edge, .sd = sd, .points = rows, .point = point};
    CLI_TRY_OUT(cli_out_open(&out, d->map_path, err));
    demo_chart_map(out.file, &m);
    CLI_TRY_OUT(cli_out_commit(&out, err));
out:
    cli_out_abandon(&out);
    free(point);
    return status;
}

static copse_status tour_hole(cli *c, demo_job *d, copse_error *err) {
    const copse_roles roles = {.target = "target", .task = COPSE_REGRESS};
    copse_table *train = NULL, *test = NULL;
    copse_model *model = NULL;
    copse_status status = COPSE_OK;
    double *sd = malloc((size_t)CELLS * CELLS * sizeof *sd);
    if (!sd) return cli_fail_memory(err);
    CLI_TRY_OUT(copse_synth("hole", &(copse_synth_options){.rows = 500, .seed = 1}, &train, err));
    CLI_TRY_OUT(copse_synth("hole", &(copse_synth_options){.rows = 200, .seed = 2}, &test, err));
    CLI_TRY_OUT(fit(c, train, &roles, "100", &model, err));
    CLI_TRY_OUT(copse_eval(model, test, NULL, &c->run, &d->hole, err));
    CLI_TRY_OUT(predict_map(c, model, sd, err));
    d->sd_hole = mean_sd(sd, 0, .25);
    d->sd_among = mean_sd(sd, .6, 1);
    CLI_TRY_OUT(draw_map(d, sd, train, err));
out:
    copse_model_free(model);
    copse_table_free(train);
    copse_table_free(test);
    free(sd);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ report */

static void print_json(const demo_job *d) {
    cli_json j = {.file = stdout};
    cli_json_object(&j, NULL);
    cli_json_object(&j, "motorcycle");
    cli_scores_metrics_json(&j, &d->numbers, "rows");
    cli_scores_coverage_json(&j, &d->numbers);
    cli_json_number(&j, "width_among_data", d->width_among);
    cli_json_number(&j, "width_in_gap", d->width_gap);
    cli_json_text(&j, "picture", d->curve_path);
    cli_json_end_object(&j);
    cli_json_object(&j, "classes");
    cli_scores_metrics_json(&j, &d->classes, "rows");
    cli_json_end_object(&j);
    cli_json_object(&j, "hole");
    cli_scores_metrics_json(&j, &d->hole, "rows");
    cli_scores_coverage_json(&j, &d->hole);
    cli_json_number(&j, "sd_among_data", d->sd_among);
    cli_json_number(&j, "sd_in_hole", d->sd_hole);
    cli_json_text(&j, "picture", d->map_path);
    cli_json_end_object(&j);
    cli_json_end_object(&j);
    cli_json_line(&j);
}

static void print_numbers(const demo_job *d) {
    printf("1. numbers: helmet acceleration in motorcycle crashes, 133 rows, 10-fold cross-validation\n");
    cli_scores_print(&d->numbers, NAN);
    cli_say("unsure", "90%% intervals are %.0f g wide among data, %.0f g in a gap without any", d->width_among,
            d->width_gap);
    cli_say("picture", "%s", d->curve_path);
}

static void print_classes(const demo_job *d) {
    printf("\n2. classes: two moons, 1,000 rows to learn from and 1,000 others to test on\n");
    cli_scores_print(&d->classes, NAN);
}

static void print_hole(const demo_job *d) {
    printf("\n3. a surface with a hole in its data, 500 rows and 200 others to test on\n");
    cli_scores_print(&d->hole, NAN);
    cli_say("unsure", "the predictive sd is %.2g around the hole and %.2g in it", d->sd_among, d->sd_hole);
    cli_say("picture", "%s", d->map_path);
}

static copse_status tour(cli *c, demo_job *d, copse_error *err) {
    CLI_TRY(name_pictures(c, d, err));
    CLI_TRY(tour_numbers(c, d, err));
    if (!c->json) print_numbers(d);
    CLI_TRY(tour_classes(c, d, err));
    if (!c->json) print_classes(d);
    CLI_TRY(tour_hole(c, d, err));
    if (c->json) {
        print_json(d);
        return COPSE_OK;
    }
    print_hole(d);
    puts("\nyour turn: copse fit YOUR.csv -t COLUMN --holdout .2 -o your.copse");
    return COPSE_OK;
}

static copse_status run(cli *c, copse_error *err) {
    demo_job d = {0};
    c->run.log = NULL; /* the demo prints its own messages */
    copse_status status = tour(c, &d, err);
    free(d.curve_path);
    free(d.map_path);
    return status;
}

static const cli_option command_options[] = {
    {"output", 'o', "FILE.svg", "the pictures: FILE.svg and FILE-hole.svg (default: copse-demo.svg)"},
    {0},
};
static const cli_group groups[] = {{"what to do", command_options}, {"running", cli_run_options}, {0}};

const cli_command cmd_demo = {
    .name = "demo",
    .operands = "",
    .summary = "take a tour, on built-in data",
    .groups = groups,
    .min_operands = 0,
    .max_operands = 0,
    .run = run,
};
