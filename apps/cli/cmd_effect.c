/* effect - partial dependence of the predictions on a feature, with an interval if the trees are draws. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli_data.h"
#include "cli_json.h"
#include "cli_out.h"
#include "effect_chart.h"

typedef struct effect_job {
    copse_effect_options opt;
    const char *svg;
    int svg_out; /* the picture goes to standard output, instead of the text */
    copse_model *model;
    copse_table *data;
    copse_effect *effect;
    effect_view view;
} effect_job;

static copse_status options(const cli *c, effect_job *e, copse_error *err) {
    uint64_t points = 20, rows = 1000, seed = 1;
    const char *data = cli_args_operand(&c->args, 1);
    e->opt.feature = cli_args_text(&c->args, "feature");
    e->opt.level = .9;
    e->svg = cli_args_text(&c->args, "svg");
    e->svg_out = e->svg && cli_is_dash(e->svg);
    if (!e->opt.feature) return cli_fail(err, COPSE_E_USAGE, "the effect of which feature? add --feature NAME");
    CLI_TRY(cli_args_integer(&c->args, "points", 2, 10000, &points, err));
    CLI_TRY(cli_args_integer(&c->args, "rows", 1, 1e9, &rows, err));
    CLI_TRY(cli_args_integer(&c->args, "seed", 0, 9007199254740992.0, &seed, err));
    CLI_TRY(cli_args_number(&c->args, "interval", 0.001, 0.999, &e->opt.level, err));
    CLI_TRY(cli_check_sources(cli_args_operand(&c->args, 0), data, err));
    CLI_TRY(cli_out_not_input("--svg", e->svg, cli_args_operand(&c->args, 0), err));
    CLI_TRY(cli_out_not_input("--svg", e->svg, data, err));
    if (e->svg_out && c->json)
        return cli_fail(err, COPSE_E_USAGE, "--json and --svg - both go to standard output: name a file for one");
    e->opt.points = (size_t)points;
    e->opt.rows = (size_t)rows;
    e->opt.seed = seed;
    return COPSE_OK;
}

/* Chooses the classes to show: the one of --class, or all. */
static copse_status choose_outputs(const cli *c, effect_job *e, copse_error *err) {
    const char *name = cli_args_text(&c->args, "class");
    size_t classes = copse_model_classes(e->model);
    e->view = (effect_view){.model = e->model, .feature = e->opt.feature, .outputs = classes ? classes : 1};
    if (copse_model_has_draws(e->model)) e->view.level = e->opt.level;
    if (cli_args_has(&c->args, "interval") && e->view.level == 0)
        return cli_fail(err, COPSE_E_USAGE,
                        "--interval: this %s model has no draws that could differ: there is no interval",
                        copse_params_method(copse_model_params(e->model)));
    if (name && !classes) return cli_fail(err, COPSE_E_USAGE, "--class is for classes; this model predicts numbers");
    if (name) {
        cli_suggest near = {.word = name};
        e->view.outputs = 1;
        for (size_t k = 0; k < classes; k++) {
            cli_suggest_try(&near, copse_model_class(e->model, k));
            e->view.first = k;
            if (strcmp(copse_model_class(e->model, k), name) == 0) return COPSE_OK;
        }
        return cli_fail(err, COPSE_E_USAGE, "--class: the model knows no class '%.60s'%s%.60s%s", name,
                        near.best ? "; did you mean '" : "", near.best ? near.best : "", near.best ? "'?" : "");
    }
    if (e->svg && classes > EFFECT_CURVES)
        return cli_fail(err, COPSE_E_USAGE,
                        "--svg: %zu classes are too many for one picture: choose one (--class NAME)", classes);
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------ output */

static void json_outputs(cli_json *j, const effect_view *v, const char *key, size_t point,
                         double (*read)(const copse_effect *, size_t, size_t)) {
    if (v->outputs == 1) {
        cli_json_number(j, key, read(v->effect, point, v->first));
        return;
    }
    cli_json_array(j, key);
    for (size_t k = 0; k < v->outputs; k++) cli_json_number(j, NULL, read(v->effect, point, k));
    cli_json_end_array(j);
}

static void json_points(cli_json *j, const effect_view *v) {
    cli_json_array(j, "points");
    for (size_t i = 0; i < copse_effect_points(v->effect); i++) {
        const char *text = copse_effect_text(v->effect, i);
        cli_json_object(j, NULL);
        if (text)
            cli_json_text(j, "value", text);
        else
            cli_json_number(j, "value", copse_effect_number(v->effect, i));
        json_outputs(j, v, "mean", i, copse_effect_mean);
        if (v->level > 0) json_outputs(j, v, "lo", i, copse_effect_lo);
        if (v->level > 0) json_outputs(j, v, "hi", i, copse_effect_hi);
        cli_json_end_object(j);
    }
    cli_json_end_array(j);
}

static void print_json(const effect_view *v) {
    cli_json j = {.file = stdout};
    cli_json_object(&j, NULL);
    cli_json_text(&j, "method", copse_params_method(copse_model_params(v->model)));
    cli_json_text(&j, "task", copse_model_task(v->model) == COPSE_CLASS ? "class" : "regress");
    cli_json_text(&j, "target", copse_model_target(v->model));
    cli_json_text(&j, "feature", v->feature);
    cli_json_size(&j, "rows", copse_effect_rows(v->effect));
    if (v->level > 0) cli_json_number(&j, "interval", v->level);
    if (v->outputs > 1) {
        cli_json_array(&j, "classes");
        for (size_t k = 0; k < v->outputs; k++) cli_json_text(&j, NULL, copse_model_class(v->model, k));
        cli_json_end_array(&j);
    } else if (copse_model_task(v->model) == COPSE_CLASS) {
        cli_json_text(&j, "class", copse_model_class(v->model, v->first));
    }
    json_points(&j, v);
    cli_json_end_object(&j);
    cli_json_line(&j);
}

enum { BAR = 30, COLUMNS = 8 };

/* The outputs to print: all, or of many classes those that change most, in their order. */
typedef struct columns {
    size_t n, at[COLUMNS];
} columns;

static double change_of(const effect_view *v, size_t k) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < copse_effect_points(v->effect); i++) {
        low = fmin(low, copse_effect_mean(v->effect, i, k));
        high = fmax(high, copse_effect_mean(v->effect, i, k));
    }
    return high - low;
}

static columns choose_columns(const effect_view *v) {
    columns c = {0};
    double change[COLUMNS];
    for (size_t k = v->first; k < v->first + v->outputs; k++) {
        double now = change_of(v, k);
        if (c.n == COLUMNS) {
            size_t least = 0;
            for (size_t i = 1; i < COLUMNS; i++) least = change[i] < change[least] ? i : least;
            if (now <= change[least]) continue;
            c.n--;
            memmove(&c.at[least], &c.at[least + 1], (c.n - least) * sizeof *c.at);
            memmove(&change[least], &change[least + 1], (c.n - least) * sizeof *change);
        }
        c.at[c.n] = k;
        change[c.n++] = now;
    }
    return c;
}

/* Digits to print, so that the differences between points, not the values, have six. */
static int digits(const effect_view *v) {
    size_t last = effect_values(v->effect) - 1;
    double from = copse_effect_number(v->effect, 0), to = copse_effect_number(v->effect, last);
    double more = to > from ? floor(log10(fmax(fabs(from), fabs(to)) / (to - from))) : 0;
    return more > 0 ? 6 + (int)fmin(more, 11) : 6;
}

/* Prints the mean as a bar that starts at the smallest mean. */
static void print_bar(const effect_view *v, size_t point) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < copse_effect_points(v->effect); i++) {
        low = fmin(low, copse_effect_mean(v->effect, i, v->first));
        high = fmax(high, copse_effect_mean(v->effect, i, v->first));
    }
    double share = high > low ? (copse_effect_mean(v->effect, point, v->first) - low) / (high - low) : 0;
    fputs("  |", stdout);
    for (int k = 0; k < (int)(BAR * share + .5); k++) putchar('#');
}

static void print_head(const effect_view *v, const columns *shown, int width) {
    char rows[CLI_NUMBER_SIZE], all[CLI_NUMBER_SIZE];
    int one = copse_model_task(v->model) == COPSE_CLASS && v->outputs == 1;
    printf("effect of '%s' on '%s'%s%s: mean %s over %s row%s\n", v->feature, copse_model_target(v->model),
           one ? ", class " : "", one ? copse_model_class(v->model, v->first) : "",
           copse_model_task(v->model) == COPSE_CLASS ? "probability" : "prediction",
           cli_count(copse_effect_rows(v->effect), rows), cli_plural(copse_effect_rows(v->effect)));
    if (v->level > 0 && v->outputs == 1)
        printf("lo to hi: the central %g%% of the %s\n", 100 * v->level, cli_draws_name(v->model));
    if (shown->n < v->outputs)
        printf("of %s classes the %zu that change most: --class NAME or --json for others\n",
               cli_count(v->outputs, all), shown->n);
    printf("  %*s", width, v->feature);
    if (v->outputs > 1)
        for (size_t k = 0; k < shown->n; k++) printf("  %10.10s", copse_model_class(v->model, shown->at[k]));
    else
        printf("  %10s%s", "mean", v->level > 0 ? "          lo          hi" : "");
    putchar('\n');
}

static void print_text(const effect_view *v) {
    int width = 10;
    const columns shown = choose_columns(v);
    if ((int)strlen(v->feature) > width) width = (int)strlen(v->feature);
    for (size_t i = 0; i < copse_effect_points(v->effect); i++) {
        const char *text = copse_effect_text(v->effect, i);
        if (text && (int)strlen(text) > width) width = (int)strlen(text);
    }
    print_head(v, &shown, width);
    for (size_t i = 0; i < copse_effect_points(v->effect); i++) {
        const char *text = copse_effect_text(v->effect, i);
        char number[CLI_NUMBER_SIZE];
        snprintf(number, sizeof number, "%.*g", digits(v), copse_effect_number(v->effect, i));
        if (copse_effect_is_missing(v->effect, i)) text = "missing";
        printf("  %*s", width, text ? text : number);
        for (size_t k = 0; k < shown.n; k++) printf("  %10.5g", copse_effect_mean(v->effect, i, shown.at[k]));
        if (v->level > 0 && v->outputs == 1)
            printf("  %10.5g  %10.5g", copse_effect_lo(v->effect, i, v->first),
                   copse_effect_hi(v->effect, i, v->first));
        if (v->outputs == 1) print_bar(v, i);
        putchar('\n');
    }
}

static copse_status write_svg(cli *c, const effect_job *e, copse_error *err) {
    cli_out out = {0};
    copse_status status = cli_out_open(&out, e->svg, err);
    if (!status) status = effect_chart_write(out.file, &e->view, err);
    if (!status) status = cli_out_commit(&out, err);
    cli_out_abandon(&out);
    if (!status && !e->svg_out) cli_progress_note(&c->progress, "picture in %s", e->svg);
    return status;
}

static copse_status work(cli *c, effect_job *e, copse_error *err) {
    CLI_TRY(options(c, e, err));
    CLI_TRY(cli_load_with_rows(c, cli_args_operand(&c->args, 0), cli_args_operand(&c->args, 1), &e->model, err));
    CLI_TRY(choose_outputs(c, e, err));
    CLI_TRY(cli_read_table(c, cli_args_operand(&c->args, 1), e->model, &e->data, err));
    CLI_TRY(copse_effect_new(e->model, e->data, &e->opt, &c->run, &e->effect, err));
    cli_progress_clear(&c->progress);
    e->view.effect = e->effect;
    if (copse_effect_left_out(e->effect))
        cli_progress_note(&c->progress, "'%s' has %zu more level%s: --points shows more", e->opt.feature,
                          copse_effect_left_out(e->effect), cli_plural(copse_effect_left_out(e->effect)));
    if (c->json)
        print_json(&e->view);
    else if (!e->svg_out)
        print_text(&e->view);
    return e->svg ? write_svg(c, e, err) : COPSE_OK;
}

static copse_status run(cli *c, copse_error *err) {
    effect_job e = {0};
    copse_status status = work(c, &e, err);
    copse_effect_free(e.effect);
    copse_table_free(e.data);
    copse_model_free(e.model);
    return status;
}

static const cli_option command_options[] = {
    {"feature", 0, "NAME", "the feature"},
    {"points", 0, "N",
     "values of the feature: quantiles of DATA, or the most frequent levels (default 20); and missing"},
    {"rows", 0, "N", "rows of DATA to average over, a random sample if DATA has more (default 1000)"},
    {"interval", 0, "LEVEL", "share of the trees between lo and hi, if trees are draws (default .9)"},
    {"class", 0, "NAME", "show the probability of this class only"},
    {"svg", 0, "FILE", "a picture"},
    {"seed", 0, "SEED", "of the random sample (default 1)"},
    {0},
};
static const cli_group groups[] = {
    {"what to do", command_options},
    {"reading", cli_read_options},
    {"running", cli_run_options},
    {0},
};

const cli_command cmd_effect = {
    .name = "effect",
    .operands = "MODEL DATA.csv --feature NAME",
    .summary = "show how a feature changes the predictions",
    .more =
        "Partial dependence: the mean prediction over the rows of DATA if all had the same value of the feature.\n"
        "If features are correlated, some of these rows are unlike any real row: interpret with care.\n\n"
        "examples\n"
        "  copse effect price.copse train.csv --feature area\n"
        "  copse effect price.copse train.csv --feature area --svg area.svg\n",
    .groups = groups,
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};
