/* inspect - prints a summary of a model, its trees, or the importance of its features. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli_data.h"
#include "cli_json.h"
#include "cli_method.h"
#include "cli_out.h"
#include "inspect_posterior.h"

/* ----------------------------------------------------------------------------------------------------- summary */

enum { NAMES_SHOWN = 12 };

static void print_names(int width, const char *label, const copse_model *m, size_t n,
                        const char *(*name)(const copse_model *, size_t)) {
    printf("  %-*s%zu:", width, label, n);
    for (size_t i = 0; i < n && i < NAMES_SHOWN; i++) printf(" %s", name(m, i));
    if (n > NAMES_SHOWN) printf(" ... and %zu more", n - NAMES_SHOWN);
    putchar('\n');
}

static void print_options(int width, const copse_params *p) {
    copse_option_info o;
    printf("  %-*s", width, "options");
    for (size_t i = 0; copse_method_option(copse_params_method(p), i, &o); i++)
        printf("%s%s %s", i ? ", " : "", o.name, copse_params_get(p, o.name));
    putchar('\n');
}

/* Can the model go on learning, and does the file hold the training rows? */
static const char *learning_state(const copse_model *m) {
    const copse_method_info *method = cli_method_find(copse_params_method(copse_model_params(m)));
    int rows = method && method->keeps_rows;
    if (copse_model_can_learn(m))
        return rows ? "holds its training rows: copse learn can go on"
                    : "without its training rows: copse learn can go on";
    return method && method->online ? "frozen, without its training rows: predicts, cannot learn"
                                    : "without its training rows: to learn more, fit again";
}

/* The width of the column of names: that of the longest. */
static int width_of(const copse_figure *figure, size_t n) {
    size_t width = 12;
    for (size_t i = 0; i < n; i++)
        if (strlen(figure[i].name) + 1 > width) width = strlen(figure[i].name) + 1;
    return (int)width;
}

/* How far the model has come in the stream that it learnt from last. */
static void print_position(int width, const copse_model *m) {
    char rows[CLI_NUMBER_SIZE], bytes[CLI_NUMBER_SIZE];
    copse_position p;
    if (!copse_model_position(m, &p)) return;
    printf("  %-*srow %s of its last stream, %s%s%s\n", width, "position", cli_count((size_t)p.rows, rows),
           cli_bytes((double)p.bytes, bytes), p.token ? ", token " : "", p.token ? p.token : "");
}

static void print_summary(const char *path, const copse_model *m) {
    char count[CLI_NUMBER_SIZE], bytes[CLI_NUMBER_SIZE];
    copse_figure figure[COPSE_MAX_FIGURES];
    size_t figures = copse_model_main_figures(m), rows = copse_model_rows(m);
    copse_model_figures(m, figure);
    int width = width_of(figure, figures);
    printf("%s: %s, %s of '%s'\n", cli_source(path), copse_params_method(copse_model_params(m)),
           cli_task_name(copse_model_task(m)), copse_model_target(m));
    printf("  %-*s%s row%s\n", width, "learnt", cli_count(rows, count), cli_plural(rows));
    print_position(width, m);
    if (copse_model_classes(m)) print_names(width, "classes", m, copse_model_classes(m), copse_model_class);
    print_names(width, "features", m, copse_model_features(m), copse_model_feature);
    print_options(width, copse_model_params(m));
    for (size_t i = 0; i < figures; i++) printf("  %-*s%.6g\n", width, figure[i].name, figure[i].value);
    printf("  %-*s%s%s%s\n", width, "file", cli_is_dash(path) ? "" : cli_bytes(cli_file_size(path), bytes),
           cli_is_dash(path) ? "" : ", ", learning_state(m));
}

/* ------------------------------------------------------------------------------------------------------- trees */

/* The trees that --tree numbers: all, or those of one draw. */
typedef struct range {
    size_t first, n;
} range;

static copse_status find_range(const cli *c, const copse_model *m, range *out, copse_error *err) {
    size_t trees = copse_model_trees(m), draws = copse_model_draws(m);
    uint64_t draw = 0;
    *out = (range){0, trees};
    if (!cli_args_has(&c->args, "draw")) return COPSE_OK;
    if (draws == trees)
        return cli_fail(err, COPSE_E_USAGE, "--draw: a draw of %s is a tree: --tree is enough",
                        copse_params_method(copse_model_params(m)));
    CLI_TRY(cli_args_integer(&c->args, "draw", 0, (double)(draws - 1), &draw, err));
    *out = (range){(size_t)draw * (trees / draws), trees / draws};
    return COPSE_OK;
}

static copse_status print_trees(const cli *c, const copse_model *m, cli_out *out, copse_error *err) {
    const char *which = cli_args_text(&c->args, "tree"), *format = cli_args_text(&c->args, "format");
    range r;
    uint64_t tree = 0;
    if (!format) format = c->json ? "json" : "text";
    if (strcmp(format, "text") != 0 && strcmp(format, "dot") != 0 && strcmp(format, "json") != 0)
        return cli_fail(err, COPSE_E_USAGE, "--format: '%.40s' is not one of: text, dot, json", format);
    CLI_TRY(find_range(c, m, &r, err));
    if (strcmp(which, "all") == 0) {
        for (size_t i = 0; i < r.n; i++)
            CLI_TRY(copse_model_write_tree(m, r.first + i, format, cli_out_write, out, err));
        return COPSE_OK;
    }
    CLI_TRY(cli_args_integer(&c->args, "tree", 0, (double)(r.n - 1), &tree, err));
    return copse_model_write_tree(m, r.first + (size_t)tree, format, cli_out_write, out, err);
}

/* -------------------------------------------------------------------------------------------------- importance */

typedef struct importance {
    const char *name;
    copse_importance share, increase; /* by impurity, by permutation; NaN if not computed */
} importance;

typedef struct importance_job {
    const copse_model *model;
    size_t n, rows;
    uint64_t repeats, seed, top; /* top: number of features shown */
    double loss;
    int by_split, by_data;
    importance *list;
    copse_importance *found; /* result of one measure, in the order of the features */
} importance_job;

static const char *metric_of(const importance_job *w) {
    return copse_model_task(w->model) == COPSE_CLASS ? "log_loss" : "rmse";
}

/* The most important feature first; by permutation if that was computed, else by impurity. */
static int by_rank(const void *a, const void *b) {
    const importance *x = a, *y = b;
    double p = isnan(x->increase.mean) ? x->share.mean : x->increase.mean;
    double q = isnan(y->increase.mean) ? y->share.mean : y->increase.mean;
    if (p != q) return p < q ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void importance_json(const importance_job *w) {
    cli_json j = {.file = stdout};
    cli_json_object(&j, NULL);
    cli_json_text(&j, "method", copse_params_method(copse_model_params(w->model)));
    cli_json_size(&j, "trees", copse_model_trees(w->model));
    if (w->by_data) {
        cli_json_text(&j, "metric", metric_of(w));
        cli_json_number(&j, "loss", w->loss);
        cli_json_size(&j, "rows", w->rows);
        cli_json_size(&j, "repeats", (size_t)w->repeats);
        cli_json_text(&j, "sd_over", copse_model_has_draws(w->model) ? cli_draws_name(w->model) : "repeats");
    }
    cli_json_array(&j, "importance");
    for (size_t i = 0; i < w->n && i < w->top; i++) {
        const importance *f = &w->list[i];
        cli_json_object(&j, NULL);
        cli_json_text(&j, "feature", f->name);
        if (w->by_data) cli_json_number(&j, "increase", f->increase.mean);
        if (w->by_data) cli_json_number(&j, "sd", f->increase.sd);
        if (w->by_split) cli_json_number(&j, "impurity", f->share.mean);
        if (w->by_split) cli_json_number(&j, "impurity_sd", f->share.sd);
        cli_json_end_object(&j);
    }
    cli_json_end_array(&j);
    cli_json_end_object(&j);
    cli_json_line(&j);
}

static void print_pair(copse_importance v) {
    char sd[CLI_NUMBER_SIZE] = "";
    if (!isnan(v.sd)) snprintf(sd, sizeof sd, "%.2g", v.sd);
    printf("  %10.4g  %9s", v.mean, sd);
}

static void importance_head(const importance_job *w, int width) {
    size_t trees = copse_model_trees(w->model);
    int draws = copse_model_has_draws(w->model);
    if (w->by_data)
        printf("%s is %.5g; increase: by how much it grows when a column is shuffled (%zu time%s), sd over %s\n",
               *metric_of(w) == 'l' ? "log loss" : "rmse", w->loss, (size_t)w->repeats, cli_plural((size_t)w->repeats),
               draws ? cli_draws_name(w->model) : "shuffles");
    if (w->by_split)
        printf("impurity: the share in what the splits achieved on the training rows%s\n",
               trees > 1 ? ", mean and sd over trees" : "");
    printf("  %-*s", width, "feature");
    if (w->by_data) printf("  %10s  %9s", "increase", draws || w->repeats > 1 ? "+- sd" : "");
    if (w->by_split) printf("  %10s  %9s", "impurity", trees > 1 ? "+- sd" : "");
    putchar('\n');
}

static void importance_text(const importance_job *w) {
    int width = 7;
    size_t shown = w->n < w->top ? w->n : (size_t)w->top;
    for (size_t i = 0; i < shown; i++)
        if ((int)strlen(w->list[i].name) > width) width = (int)strlen(w->list[i].name);
    importance_head(w, width);
    double top = w->by_data ? w->list[0].increase.mean : w->list[0].share.mean;
    for (size_t i = 0; i < shown; i++) {
        const importance *f = &w->list[i];
        printf("  %-*s", width, f->name);
        if (w->by_data) print_pair(f->increase);
        if (w->by_split) print_pair(f->share);
        fputs("  ", stdout);
        double length = (w->by_data ? f->increase.mean : f->share.mean) / (top > 0 ? top : 1);
        for (int k = 0; k < (int)(30 * length + .5); k++) putchar('#');
        putchar('\n');
    }
    if (shown < w->n)
        printf("  ... and %zu more feature%s: --top %zu or --json has them all\n", w->n - shown,
               cli_plural(w->n - shown), w->n);
}

static copse_status measure_splits(cli *c, importance_job *w, copse_error *err) {
    copse_status status = copse_importance_impurity(w->model, &c->run, w->found, err);
    w->by_split = status == COPSE_OK;
    for (size_t i = 0; i < w->n && w->by_split; i++) w->list[i].share = w->found[i];
    return status == COPSE_E_USAGE ? COPSE_OK : status;
}

static copse_status measure_rows(cli *c, importance_job *w, const char *path, copse_error *err) {
    copse_table *data = NULL;
    copse_status status = cli_read_table(c, path, w->model, &data, err);
    copse_permute_options options = {.repeats = (size_t)w->repeats, .seed = w->seed, .out_loss = &w->loss};
    if (!status) status = copse_importance_permute(w->model, data, &options, &c->run, w->found, err);
    for (size_t i = 0; i < w->n && !status; i++) w->list[i].increase = w->found[i];
    w->rows = data ? copse_table_rows(data) : 0;
    w->by_data = 1;
    copse_table_free(data);
    return status;
}

static copse_status fail_without_rows(const copse_model *m, copse_error *err) {
    copse_diagnosis d;
    copse_error none = {0};
    int sampler = copse_model_diagnose(m, &d, &none) == COPSE_OK;
    return cli_fail(err, COPSE_E_USAGE,
                    "--importance with method %s shuffles columns of rows with known answers: add --data FILE%s",
                    copse_params_method(copse_model_params(m)),
                    sampler ? " (without --importance: the probability that a tree splits on a feature)" : "");
}

static copse_status print_importance(cli *c, const copse_model *m, copse_error *err) {
    static const copse_importance unknown = {NAN, NAN};
    importance_job w = {.model = m, .n = copse_model_features(m), .repeats = 5, .seed = 1, .top = 30};
    const char *path = cli_args_text(&c->args, "data");
    copse_status status = COPSE_OK;
    CLI_TRY(cli_args_integer(&c->args, "repeats", 1, 1000, &w.repeats, err));
    if (c->json) w.top = w.n;
    CLI_TRY(cli_args_integer(&c->args, "top", 1, 1e9, &w.top, err));
    CLI_TRY(cli_args_integer(&c->args, "seed", 0, 9007199254740992.0, &w.seed, err));
    w.list = calloc(w.n, sizeof *w.list);
    w.found = calloc(w.n, sizeof *w.found);
    if (!w.list || !w.found) CLI_TRY_OUT(cli_fail_memory(err));
    for (size_t i = 0; i < w.n; i++) w.list[i] = (importance){copse_model_feature(m, i), unknown, unknown};
    CLI_TRY_OUT(measure_splits(c, &w, err));
    if (!path && !w.by_split) CLI_TRY_OUT(fail_without_rows(m, err));
    if (path) CLI_TRY_OUT(measure_rows(c, &w, path, err));
    cli_progress_clear(&c->progress);
    qsort(w.list, w.n, sizeof *w.list, by_rank);
    (c->json ? importance_json : importance_text)(&w);
out:
    free(w.list);
    free(w.found);
    return status;
}

/* -------------------------------------------------------------------------------------------------------- work */

static copse_status print(cli *c, const copse_model *m, cli_out *out, copse_error *err) {
    if (cli_args_has(&c->args, "importance")) return print_importance(c, m, err);
    if (cli_args_has(&c->args, "tree")) return print_trees(c, m, out, err);
    if (c->json) return copse_model_write_json(m, cli_out_write, out, err);
    print_summary(cli_args_operand(&c->args, 0), m);
    return inspect_posterior(m, cli_args_operand(&c->args, 0), &c->run, err);
}

/* Refuses options that would have no effect. */
static copse_status check_options(const cli *c, copse_error *err) {
    static const char *const of_importance[] = {"data", "repeats", "seed", "top"};
    if (cli_args_has(&c->args, "format") && !cli_args_has(&c->args, "tree"))
        return cli_fail(err, COPSE_E_USAGE, "--format is about a tree: add --tree 0 (or all)");
    if (cli_args_has(&c->args, "draw") && !cli_args_has(&c->args, "tree"))
        return cli_fail(err, COPSE_E_USAGE, "--draw says whose trees: add --tree 0 (or all)");
    for (size_t i = 0; i < sizeof of_importance / sizeof *of_importance; i++)
        if (cli_args_has(&c->args, of_importance[i]) && !cli_args_has(&c->args, "importance"))
            return cli_fail(err, COPSE_E_USAGE, "--%s is about what features matter: add --importance",
                            of_importance[i]);
    return COPSE_OK;
}

static copse_status run(cli *c, copse_error *err) {
    copse_model *model = NULL;
    cli_out out = {0};
    copse_status status = COPSE_OK;
    CLI_TRY(check_options(c, err));
    CLI_TRY_OUT(cli_load(c, cli_args_operand(&c->args, 0), &model, err));
    CLI_TRY_OUT(cli_out_open(&out, NULL, err));
    status = print(c, model, &out, err);
    if (status && !out.error) goto out; /* cli_out_commit reports a write that failed */
    CLI_TRY_OUT(cli_out_commit(&out, err));
out:
    cli_out_abandon(&out);
    copse_model_free(model);
    return status;
}

static const cli_option command_options[] = {
    {"tree", 0, "I|all", "print tree I (the first is 0), or all of them"},
    {"draw", 0, "D", "bart: --tree is a tree of this draw (the first is 0)"},
    {"format", 0, "text|dot|json", "format of the trees; json is complete, dot is for Graphviz (default: text)"},
    {"importance", 0, NULL, "feature importance: by impurity decrease, and by permutation of --data"},
    {"data", 0, "FILE", "rows with known targets for permutation importance"},
    {"repeats", 0, "N", "permutations of each column (default 5)"},
    {"seed", 0, "SEED", "of the permutations (default 1)"},
    {"top", 0, "N", "features shown with --importance, the most important first (default: 30; all with --json)"},
    {0},
};
static const cli_group groups[] = {
    {"what to do", command_options},
    {"reading --data", cli_read_options},
    {"running", cli_run_options},
    {0},
};

const cli_command cmd_inspect = {
    .name = "inspect",
    .operands = "MODEL",
    .summary = "print a model: summary, trees, feature importance",
    .more =
        "examples\n"
        "  copse inspect price.copse\n"
        "  copse inspect price.copse --tree 0 --format dot | dot -Tsvg > tree.svg\n"
        "  copse inspect price.copse --importance --data test.csv\n",
    .groups = groups,
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
