/* stability - how stable the first splits of a tree are: the sample's tree against draws of a Bayesian forest. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli_data.h"
#include "cli_json.h"
#include "cli_out.h"
#include "stability_chart.h"

enum { SHOWN_SPLITS = 30, SHOWN_KINDS = 10 };

typedef struct stability_job {
    copse_params *params; /* of the Bayesian forest */
    copse_table *data;
    copse_trunks *trunks;
    double read_seconds, seconds;
} stability_job;

static double share(const copse_trunks *t, size_t draws) {
    return (double)draws / (double)copse_trunks_draws(t);
}

/* The number of the split above a node of the sample's trunk, breadth first from 0; node 0 has none. */
static size_t split_above(int node) {
    return (size_t)(node - 1) / 2;
}

/* -------------------------------------------------------------------------------------------------------- text */

static double quantile(const copse_trunk_split *s, double q) {
    return s->cuts[(size_t)(q * (double)(s->here - 1) + .5)];
}

static void print_split(const copse_trunks *t, size_t k) {
    const copse_trunk_split *s = copse_trunks_split(t, k);
    const copse_trunk_node *n = &copse_trunks_kind(t, 0)->node[s->node];
    char under[32] = "top", words[96];
    if (s->node > 0) snprintf(under, sizeof under, "%zu, %s", split_above(s->node) + 1, s->node % 2 ? "yes" : "no");
    if (isnan(n->cut))
        snprintf(words, sizeof words, "%.60s", n->feature);
    else
        snprintf(words, sizeof words, "%.60s <= %.6g", n->feature, n->cut);
    printf("  %5zu  %-8s  %-34s  %5.1f %%  %7.1f %%", k + 1, under, words, 100 * share(t, s->here),
           100 * share(t, s->first));
    if (s->cuts && s->here) printf("   %.5g, %.5g, %.5g", quantile(s, .05), quantile(s, .5), quantile(s, .95));
    putchar('\n');
}

/* A difference from the sample's trunk in words, and the number of draws that have it. */
typedef struct difference {
    char words[400];
    size_t draws;
} difference;

__attribute__((format(printf, 2, 3))) static void say(difference *d, const char *fmt, ...) {
    size_t used = strlen(d->words);
    va_list args;
    if (used > 0 && used + 3 < sizeof d->words) used += (size_t)snprintf(d->words + used, 3, "; ");
    va_start(args, fmt);
    vsnprintf(d->words + used, sizeof d->words - used, fmt, args);
    va_end(args);
}

/* Describes where two trunks differ.  Differences below another difference are left out. */
static void describe(difference *d, const copse_trunk *sample, const copse_trunk *other, int a, int b) {
    const copse_trunk_node *x = &sample->node[a], *y = &other->node[b];
    size_t split = 1;
    if (!x->feature && !y->feature) return;
    if (x->feature && y->feature && strcmp(x->feature, y->feature) == 0) {
        describe(d, sample, other, x->left, y->left);
        describe(d, sample, other, x->right, y->right);
        return;
    }
    for (int i = 0; i < a; i++) split += sample->node[i].feature != NULL;
    if (x->feature && y->feature)
        say(d, "split %zu is on %.60s instead of %.60s", split, y->feature, x->feature);
    else if (x->feature)
        say(d, "no split %zu", split);
    else if (a > 0)
        say(d, "one more split under %zu, %s, on %.60s", split_above(a) + 1, a % 2 ? "yes" : "no", y->feature);
    else
        say(d, "splits on %.60s", y->feature);
}

static int by_draws(const void *a, const void *b) {
    const difference *x = a, *y = b;
    return x->draws != y->draws ? (x->draws < y->draws ? 1 : -1) : strcmp(x->words, y->words);
}

/* Counts the draws of every kind except the sample's by its description; returns the draws of those not shown. */
static size_t find_differences(const copse_trunks *t, difference shown[SHOWN_KINDS], size_t *n) {
    const copse_trunk *kind, *sample = copse_trunks_kind(t, 0);
    size_t rest = 0;
    for (size_t i = 1, k; (kind = copse_trunks_kind(t, i)) != NULL; i++) {
        difference d = {.draws = kind->draws};
        describe(&d, sample, kind, 0, 0);
        for (k = 0; k < *n && strcmp(shown[k].words, d.words) != 0;) k++;
        if (k < *n)
            shown[k].draws += d.draws;
        else if (k < SHOWN_KINDS)
            shown[(*n)++] = d;
        else
            rest += d.draws;
    }
    qsort(shown, *n, sizeof *shown, by_draws);
    return rest;
}

static void print_kinds(const copse_trunks *t) {
    difference shown[SHOWN_KINDS];
    size_t n = 0, rest = find_differences(t, shown, &n);
    puts("\nkinds of trunk among the draws");
    printf("  %5.1f %%  as the sample's\n", 100 * share(t, copse_trunks_kind(t, 0)->draws));
    for (size_t i = 0; i < n; i++) printf("  %5.1f %%  %s\n", 100 * share(t, shown[i].draws), shown[i].words);
    if (rest) printf("  %5.1f %%  others\n", 100 * share(t, rest));
}

static void print_text(const cli *c, const stability_job *v) {
    char rows[CLI_NUMBER_SIZE], draws[CLI_NUMBER_SIZE], time[CLI_NUMBER_SIZE];
    const copse_trunks *t = v->trunks;
    size_t k = 0;
    printf("stability of the tree of '%s': %s draw%s, %s row%s of %s (%s)\n\n", cli_args_text(&c->args, "target"),
           cli_count(copse_trunks_draws(t), draws), cli_plural(copse_trunks_draws(t)),
           cli_count(copse_table_rows(v->data), rows), cli_plural(copse_table_rows(v->data)),
           cli_source(cli_args_operand(&c->args, 0)), cli_time(v->seconds, time));
    if (!copse_trunks_split(t, 0)) puts("  the sample's trunk has no split");
    if (copse_trunks_split(t, 0))
        printf(
            "  split  under     the sample's trunk                    draws  and before   where they cut: 5 %%, "
            "median, 95 %%\n");
    for (; k < SHOWN_SPLITS && copse_trunks_split(t, k); k++) print_split(t, k);
    if (copse_trunks_split(t, k)) puts("  ... and more: --json has them all");
    print_kinds(t);
}

/* -------------------------------------------------------------------------------------------------------- JSON */

static void json_split(cli_json *j, const copse_trunks *t, size_t k) {
    const copse_trunk_split *s = copse_trunks_split(t, k);
    const copse_trunk_node *n = &copse_trunks_kind(t, 0)->node[s->node];
    cli_json_object(j, NULL);
    cli_json_size(j, "split", k + 1);
    cli_json_size(j, "node", (size_t)s->node);
    cli_json_text(j, "feature", n->feature);
    cli_json_number(j, "cut", n->cut);
    cli_json_number(j, "share", share(t, s->here));
    cli_json_number(j, "share_and_before", share(t, s->first));
    cli_json_array(j, "cuts");
    for (size_t i = 0; s->cuts && i < s->here; i++) cli_json_number(j, NULL, s->cuts[i]);
    cli_json_end_array(j);
    cli_json_end_object(j);
}

static void json_node(cli_json *j, const copse_trunk_node *n, int of_sample) {
    cli_json_object(j, NULL);
    cli_json_number(j, "left", n->left);
    cli_json_number(j, "right", n->right);
    if (n->feature) cli_json_text(j, "feature", n->feature);
    if (n->feature) cli_json_number(j, "cut", n->cut);
    if (!n->feature && of_sample) cli_json_size(j, "rows", n->rows);
    if (!n->feature && of_sample) cli_json_text(j, "note", n->note);
    cli_json_end_object(j);
}

static void json_kind(cli_json *j, const copse_trunks *t, size_t i) {
    const copse_trunk *kind = copse_trunks_kind(t, i);
    cli_json_object(j, NULL);
    cli_json_bool(j, "sample", i == 0);
    cli_json_size(j, "draws", kind->draws);
    cli_json_number(j, "share", share(t, kind->draws));
    cli_json_array(j, "nodes");
    for (size_t k = 0; k < kind->nodes; k++) json_node(j, &kind->node[k], i == 0);
    cli_json_end_array(j);
    cli_json_end_object(j);
}

static void print_json(const cli *c, const stability_job *v) {
    cli_json j = {.file = stdout};
    cli_json_object(&j, NULL);
    cli_json_text(&j, "target", cli_args_text(&c->args, "target"));
    cli_json_size(&j, "rows", copse_table_rows(v->data));
    cli_json_size(&j, "draws", copse_trunks_draws(v->trunks));
    cli_json_size(&j, "seed", (size_t)cli_params_seed(v->params));
    cli_json_number(&j, "share", share(v->trunks, copse_trunks_kind(v->trunks, 0)->draws));
    cli_json_array(&j, "splits");
    for (size_t k = 0; copse_trunks_split(v->trunks, k); k++) json_split(&j, v->trunks, k);
    cli_json_end_array(&j);
    cli_json_array(&j, "kinds");
    for (size_t i = 0; copse_trunks_kind(v->trunks, i); i++) json_kind(&j, v->trunks, i);
    cli_json_end_array(&j);
    cli_json_number(&j, "read_seconds", v->read_seconds);
    cli_json_number(&j, "seconds", v->seconds);
    cli_json_number(&j, "peak_rss_mb", cli_peak_rss_mb());
    cli_json_end_object(&j);
    cli_json_line(&j);
}

/* -------------------------------------------------------------------------------------------------------- work */

/* Refuses an option that is given under two names: the forest's, and that of this command. */
static copse_status check_names(const cli *c, const char *here, const char *there, copse_error *err) {
    for (size_t i = 0; i < c->args.method_options; i++)
        if (strcmp(c->args.method_option[i].name, there) == 0 && cli_args_has(&c->args, here))
            return cli_fail(err, COPSE_E_USAGE, "--%s is --%s here: give one of them", there, here);
    return COPSE_OK;
}

/* --draws and --trunk-leaves are the forest's --trees and --max-leaves.  A trunk without any bound has five leaves, as
 * in the paper. */
static copse_status fill_params(const cli *c, copse_params *p, copse_error *err) {
    static const char *const bounds[] = {"max-leaves", "max-depth", "min-leaf", "min-leaf-weight"};
    const char *draws = cli_args_text(&c->args, "draws"), *leaves = cli_args_text(&c->args, "trunk-leaves");
    uint64_t number = 0;
    int bounded = 0;
    CLI_TRY(check_names(c, "draws", "trees", err));
    CLI_TRY(check_names(c, "trunk-leaves", "max-leaves", err));
    CLI_TRY(cli_args_integer(&c->args, "draws", 1, 100000, &number, err));
    CLI_TRY(cli_args_integer(&c->args, "trunk-leaves", 1, 256, &number, err));
    for (size_t i = 0; i < c->args.method_options; i++)
        for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++)
            bounded |= strcmp(c->args.method_option[i].name, bounds[k]) == 0;
    if (draws) CLI_TRY(copse_params_set(p, "trees", draws, err));
    if (leaves || !bounded) CLI_TRY(copse_params_set(p, "max-leaves", leaves ? leaves : "5", err));
    return COPSE_OK;
}

static copse_status write_chart(const cli *c, const stability_job *v, copse_error *err) {
    const char *path = cli_args_text(&c->args, "svg");
    cli_out out;
    if (!path) return COPSE_OK;
    CLI_TRY(cli_out_open(&out, path, err));
    stability_chart(out.file, v->trunks, cli_args_text(&c->args, "target"));
    copse_status status = cli_out_commit(&out, err);
    cli_out_abandon(&out);
    return status;
}

static copse_status work(cli *c, stability_job *v, copse_error *err) {
    const char *svg = cli_args_text(&c->args, "svg"), *path = cli_args_operand(&c->args, 0);
    copse_roles roles;
    CLI_TRY(cli_roles(c, &roles, err));
    CLI_TRY(cli_params(c, "bf", 0, &v->params, err));
    CLI_TRY(fill_params(c, v->params, err));
    if (svg) CLI_TRY(cli_out_check_writable(svg, err));
    CLI_TRY(cli_out_not_input("--svg", svg, path, err));
    double begin = cli_wall_seconds();
    CLI_TRY(cli_read_table(c, path, NULL, &v->data, err));
    double ready = cli_wall_seconds();
    CLI_TRY(copse_stability(v->data, &roles, v->params, &c->run, &v->trunks, err));
    v->read_seconds = ready - begin;
    v->seconds = cli_wall_seconds() - ready;
    return write_chart(c, v, err);
}

static copse_status run(cli *c, copse_error *err) {
    stability_job v = {0};
    copse_status status = work(c, &v, err);
    cli_progress_clear(&c->progress);
    if (!status && c->json)
        print_json(c, &v);
    else if (!status)
        print_text(c, &v);
    copse_trunks_free(v.trunks);
    copse_params_free(v.params);
    copse_table_free(v.data);
    return status;
}

static const cli_option command_options[] = {
    {"draws", 0, "N",
     "trees of the Bayesian forest, each a draw from the posterior (default 100); --trees means the same"},
    {"trunk-leaves", 0, "K", "maximum number of leaves of a trunk (default 5 if no other bound is given)"},
    {"svg", 0, "FILE", "draw the sample's trunk and where the draws cut"},
    {0},
};
static const cli_group groups[] = {
    {"what to do", command_options},
    {"columns", cli_column_options},
    {"reading", cli_read_options},
    {"running", cli_run_options},
    {0},
};

const cli_command cmd_stability = {
    .name = "stability",
    .operands = "DATA.csv -t TARGET",
    .summary = "measure how stable the first splits of a tree are",
    .more =
        "Grows one tree on the rows with equal weights (method cart), and trees on the rows with random weights "
        "(method\n"
        "bf, whose options it takes), which are draws from the posterior over trees; all have the same bounds.  "
        "Prints\n"
        "for each split of the first tree how many draws split on the same feature at the same node, how many agree\n"
        "on it and on all splits before it, and where they cut.\n\n"
        "  copse stability data.csv -t y --draws 1000 --svg trunk.svg\n"
        "  copse stability data.csv -t y --min-leaf 3500\n",
    .groups = groups,
    .min_operands = 1,
    .max_operands = 1,
    .method_options = 1,
    .run = run,
};
