/* inspect - what a model file holds: a summary, its trees, and which features matter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli_concat.h"
#include "cli_data.h"
#include "cli_json.h"
#include "cli_out.h"

/* ----------------------------------------------------------------------------------------------------- summary */

enum { NAMES_SHOWN = 12 };

static void print_names(const char *label, const copse_model *m, size_t n,
                        const char *(*name)(const copse_model *, size_t)) {
    printf("  %-12s%zu:", label, n);
    for (size_t i = 0; i < n && i < NAMES_SHOWN; i++) printf(" %s", name(m, i));
    if (n > NAMES_SHOWN) printf(" ... and %zu more", n - NAMES_SHOWN);
    putchar('\n');
}

static void print_options(const copse_params *p) {
    copse_option_info o;
    printf("  %-12s", "options");
    for (size_t i = 0; copse_method_option(copse_params_method(p), i, &o); i++)
        printf("%s%s %s", i ? ", " : "", o.name, copse_params_get(p, o.name));
    putchar('\n');
}

static void print_summary(const char *path, const copse_model *m) {
    char count[CLI_NUMBER_SIZE], bytes[CLI_NUMBER_SIZE];
    copse_figure figure[COPSE_MAX_FIGURES];
    size_t figures = copse_model_figures(m, figure);
    printf("%s: %s, %s of '%s'\n", cli_source(path), copse_params_method(copse_model_params(m)),
           cli_task_name(copse_model_task(m)), copse_model_target(m));
    cli_say("learnt", "%s row%s", cli_count(copse_model_rows(m), count), cli_plural(copse_model_rows(m)));
    if (copse_model_classes(m)) print_names("classes", m, copse_model_classes(m), copse_model_class);
    print_names("features", m, copse_model_features(m), copse_model_feature);
    print_options(copse_model_params(m));
    for (size_t i = 0; i < figures; i++) cli_say(figure[i].name, "%.6g", figure[i].value);
    cli_say("file", "%s%s%s", cli_is_dash(path) ? "" : cli_bytes(cli_file_size(path), bytes),
            cli_is_dash(path) ? "" : ", ",
            copse_model_can_learn(m) ? "holds its training rows: copse learn can go on"
                                     : "frozen, without its training rows: predicts, cannot learn");
}

/* ------------------------------------------------------------------------------------------------------- trees */

static copse_status print_trees(const cli *c, const copse_model *m, cli_out *out, copse_error *err) {
    const char *which = cli_args_text(&c->args, "tree"), *format = cli_args_text(&c->args, "format");
    size_t trees = copse_model_trees(m);
    uint64_t tree = 0;
    if (!format) format = c->json ? "json" : "text";
    if (strcmp(format, "text") != 0 && strcmp(format, "dot") != 0 && strcmp(format, "json") != 0)
        return cli_fail(err, COPSE_E_USAGE, "--format: '%.40s' is not one of: text, dot, json", format);
    if (strcmp(which, "all") == 0) {
        for (size_t i = 0; i < trees; i++) CLI_TRY(copse_model_write_tree(m, i, format, cli_out_write, out, err));
        return COPSE_OK;
    }
    CLI_TRY(cli_args_integer(&c->args, "tree", 0, (double)(trees - 1), &tree, err));
    return copse_model_write_tree(m, (size_t)tree, format, cli_out_write, out, err);
}

/* -------------------------------------------------------------------------------------------------- importance */

/* Shuffling a column breaks its tie to the target and leaves its values as they are.  How much worse the model then
 * does is what the column told it.  Loss: log loss for classes, RMSE for numbers. */
typedef struct importance {
    const char *name;
    double mean, sd; /* of the increase of the loss, over the repeats */
} importance;

static double loss_of(const copse_scores *s) {
    return s->task == COPSE_CLASS ? s->log_loss : s->rmse;
}

static uint64_t mix(uint64_t *state) { /* SplitMix64: good enough to shuffle with */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void shuffle(size_t *order, size_t n, uint64_t *state) {
    for (size_t i = 0; i < n; i++) order[i] = i;
    for (size_t i = n; i > 1; i--) {
        size_t k = (size_t)(mix(state) % i), swap = order[i - 1];
        order[i - 1] = order[k];
        order[k] = swap;
    }
}

typedef struct importance_job {
    const copse_model *model;
    copse_table *data;
    copse_run run;
    size_t *order;
    size_t repeats;
    uint64_t state;
    double loss;
} importance_job;

static copse_status measure(importance_job *w, importance *f, copse_error *err) {
    double sum = 0, squares = 0;
    for (size_t r = 0; r < w->repeats; r++) {
        copse_table *shuffled = NULL;
        copse_scores s;
        shuffle(w->order, copse_table_rows(w->data), &w->state);
        CLI_TRY(cli_concat_reorder(w->data, copse_table_find(w->data, f->name), w->order, &shuffled, err));
        copse_status status = copse_eval(w->model, shuffled, 0, &w->run, &s, err);
        copse_table_free(shuffled);
        if (status) return status;
        double increase = loss_of(&s) - w->loss;
        sum += increase;
        squares += increase * increase;
    }
    double n = (double)w->repeats;
    f->mean = sum / n;
    f->sd = n > 1 ? sqrt(fmax(0, squares - sum * sum / n) / (n - 1)) : NAN;
    return COPSE_OK;
}

static int by_mean(const void *a, const void *b) {
    const importance *x = a, *y = b;
    if (x->mean != y->mean) return x->mean < y->mean ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void importance_json(const copse_scores *s, const importance *list, size_t n, size_t repeats) {
    cli_json j = {.file = stdout};
    cli_json_object(&j, NULL);
    cli_json_text(&j, "metric", s->task == COPSE_CLASS ? "log_loss" : "rmse");
    cli_json_number(&j, "loss", loss_of(s));
    cli_json_size(&j, "rows", s->rows);
    cli_json_size(&j, "repeats", repeats);
    cli_json_array(&j, "importance");
    for (size_t i = 0; i < n; i++) {
        cli_json_object(&j, NULL);
        cli_json_text(&j, "feature", list[i].name);
        cli_json_number(&j, "increase", list[i].mean);
        cli_json_number(&j, "sd", list[i].sd);
        cli_json_end_object(&j);
    }
    cli_json_end_array(&j);
    cli_json_end_object(&j);
    cli_json_line(&j);
}

static void importance_text(const copse_scores *s, const importance *list, size_t n, size_t repeats) {
    const char *metric = s->task == COPSE_CLASS ? "log loss" : "rmse";
    int width = 7;
    double top = n > 0 && list[0].mean > 0 ? list[0].mean : 1;
    for (size_t i = 0; i < n; i++)
        if ((int)strlen(list[i].name) > width) width = (int)strlen(list[i].name);
    printf("%s is %.5g; by how much it grows when a column is shuffled (%zu time%s)\n", metric, loss_of(s), repeats,
           cli_plural(repeats));
    printf("  %-*s  %10s  %9s\n", width, "feature", "increase", repeats > 1 ? "+- sd" : "");
    for (size_t i = 0; i < n; i++) {
        char sd[CLI_NUMBER_SIZE] = "";
        if (repeats > 1) snprintf(sd, sizeof sd, "%.2g", list[i].sd);
        printf("  %-*s  %10.4g  %9s  ", width, list[i].name, list[i].mean, sd);
        for (int k = 0; k < (int)(30 * list[i].mean / top + .5); k++) putchar('#');
        putchar('\n');
    }
}

static copse_status print_importance(cli *c, const copse_model *m, copse_error *err) {
    size_t n = copse_model_features(m);
    uint64_t repeats = 5, seed = 1;
    const char *path = cli_args_text(&c->args, "data");
    importance_job w = {.model = m, .run = c->run};
    importance *list = NULL;
    copse_scores base;
    copse_status status = COPSE_OK;
    if (!path)
        return cli_fail(err, COPSE_E_USAGE,
                        "--importance shuffles columns of rows with known answers: add --data FILE");
    CLI_TRY_OUT(cli_args_integer(&c->args, "repeats", 1, 1000, &repeats, err));
    CLI_TRY_OUT(cli_args_integer(&c->args, "seed", 0, 9007199254740992.0, &seed, err));
    CLI_TRY_OUT(cli_read_table(c, path, m, &w.data, err));
    CLI_TRY_OUT(copse_eval(m, w.data, 0, &c->run, &base, err));
    w.loss = loss_of(&base);
    w.repeats = (size_t)repeats;
    w.state = seed;
    w.run.progress = NULL; /* one line for the whole, not one for each of n x repeats predictions */
    list = calloc(n + 1, sizeof *list);
    w.order = calloc(copse_table_rows(w.data), sizeof *w.order);
    if (!list || !w.order) CLI_TRY_OUT(cli_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        list[i].name = copse_model_feature(m, i);
        CLI_TRY_OUT(measure(&w, &list[i], err));
        c->run.progress(c->run.arg, "shuffling columns", (double)(i + 1), (double)n);
    }
    qsort(list, n, sizeof *list, by_mean);
    if (c->json)
        importance_json(&base, list, n, w.repeats);
    else
        importance_text(&base, list, n, w.repeats);
out:
    free(list);
    free(w.order);
    copse_table_free(w.data);
    return status;
}

/* -------------------------------------------------------------------------------------------------------- work */

static copse_status print(cli *c, const copse_model *m, cli_out *out, copse_error *err) {
    if (cli_args_has(&c->args, "importance")) return print_importance(c, m, err);
    if (cli_args_has(&c->args, "tree")) return print_trees(c, m, out, err);
    if (c->json) return copse_model_write_json(m, cli_out_write, out, err);
    print_summary(cli_args_word(&c->args, 0), m);
    return COPSE_OK;
}

static copse_status run(cli *c, copse_error *err) {
    copse_model *model = NULL;
    cli_out out = {0};
    copse_status status = COPSE_OK;
    if (cli_args_has(&c->args, "format") && !cli_args_has(&c->args, "tree"))
        return cli_fail(err, COPSE_E_USAGE, "--format is about a tree: add --tree 0 (or all)");
    CLI_TRY_OUT(cli_load(cli_args_word(&c->args, 0), &model, err));
    CLI_TRY_OUT(cli_out_open(&out, NULL, err));
    status = print(c, model, &out, err);
    if (status && !out.error) goto out; /* a write that failed is for cli_out_commit to judge */
    CLI_TRY_OUT(cli_out_commit(&out, err));
out:
    cli_out_abandon(&out);
    copse_model_free(model);
    return status;
}

static const cli_option own[] = {
    {"tree", 0, "I|all", "print tree I (the first is 0), or all of them"},
    {"format", 0, "text|dot|json", "of the trees; json is complete, dot is for Graphviz (default: text)"},
    {"importance", 0, NULL, "which features matter: loss when a column of --data is shuffled"},
    {"data", 0, "FILE", "rows with known answers, for --importance"},
    {"repeats", 0, "N", "shuffles of each column (default 5)"},
    {"seed", 0, "SEED", "of the shuffles (default 1)"},
    {0},
};
static const cli_group groups[] = {
    {"what to do", own},
    {"reading --data", cli_read_options},
    {"running", cli_run_options},
    {0},
};

const cli_command cmd_inspect = {
    .name = "inspect",
    .words = "MODEL",
    .summary = "what a model holds, its trees, which features matter",
    .more =
        "examples\n"
        "  copse inspect price.copse\n"
        "  copse inspect price.copse --tree 0 --format dot | dot -Tsvg > tree.svg\n"
        "  copse inspect price.copse --importance --data test.csv\n",
    .groups = groups,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
