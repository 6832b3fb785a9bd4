#include "optimize_report.h"

#include "cli_out.h"
#include "optimize_chart.h"
#include "optimize_space.h"

/* ------------------------------------------------------------------------------------------------------- points */

void optimize_print_names(FILE *f, const copse_study *s) {
    for (size_t k = 0; k < copse_study_dims(s); k++) {
        fputc(',', f);
        cli_out_field(f, copse_study_dim(s, k)->name);
    }
    fputc('\n', f);
}

void optimize_print_values(FILE *f, const copse_study *s, const copse_trial *t) {
    char buf[CLI_NUMBER_SIZE];
    for (size_t k = 0; k < copse_study_dims(s); k++) {
        fputc(',', f);
        cli_out_field(f, optimize_value(s, k, t->x[k], buf));
    }
    fputc('\n', f);
}

void optimize_json_point(cli_json *out, const copse_study *s, const copse_trial *t) {
    cli_json_object(out, "x");
    for (size_t k = 0; k < copse_study_dims(s); k++) {
        const copse_dim *d = copse_study_dim(s, k);
        if (d->kind == COPSE_DIM_CATEGORY)
            cli_json_text(out, d->name, d->levels[(size_t)t->x[k]]);
        else
            cli_json_number(out, d->name, t->x[k]);
    }
    cli_json_end_object(out);
}

/* ------------------------------------------------------------------------------------------------------ studies */

typedef struct counts {
    size_t told, failed, pending;
} counts;

static counts count(const copse_study *s) {
    counts n = {0};
    for (size_t id = 1; id <= copse_study_trials(s); id++) {
        copse_trial t;
        copse_study_trial(s, id, &t);
        n.told += t.state == COPSE_TRIAL_TOLD;
        n.failed += t.state == COPSE_TRIAL_FAILED;
        n.pending += t.state == COPSE_TRIAL_ASKED;
    }
    return n;
}

static copse_status write_trace(const copse_study *s, const char *path, copse_error *err) {
    cli_out out = {0};
    char a[CLI_NUMBER_SIZE], b[CLI_NUMBER_SIZE];
    double best = 0;
    size_t id;
    copse_status status = cli_out_open(&out, path, err);
    if (status) return status;
    fputs("evaluation,id,value,best", out.file);
    optimize_print_names(out.file, s);
    for (size_t i = 0; (id = copse_study_told(s, i)) != 0; i++) {
        copse_trial t;
        copse_study_trial(s, id, &t);
        if (i == 0 || (copse_study_minimises(s) ? t.value < best : t.value > best)) best = t.value;
        fprintf(out.file, "%zu,%zu,%s,%s", i + 1, id, cli_number(t.value, a), cli_number(best, b));
        optimize_print_values(out.file, s, &t);
    }
    status = cli_out_commit(&out, err);
    cli_out_abandon(&out);
    return status;
}

static copse_status write_svg(cli *c, const copse_study *s, const char *path, copse_error *err) {
    cli_out out = {0};
    copse_status status = cli_out_open(&out, path, err);
    if (!status) status = optimize_chart_write(out.file, s, err);
    if (!status) status = cli_out_commit(&out, err);
    cli_out_abandon(&out);
    if (!status && !cli_is_dash(path)) cli_progress_note(&c->progress, "picture in %s", path);
    return status;
}

static void print_json(const copse_study *s, const counts *n) {
    cli_json out = {.file = stdout};
    copse_trial best;
    int any = copse_study_trial(s, copse_study_best(s), &best);
    cli_json_object(&out, NULL);
    cli_json_text(&out, "goal", copse_study_minimises(s) ? "min" : "max");
    cli_json_text(&out, "acquisition", copse_study_acquisition(s));
    cli_json_size(&out, "told", n->told);
    cli_json_size(&out, "pending", n->pending);
    cli_json_size(&out, "failed", n->failed);
    if (any) {
        cli_json_object(&out, "best");
        cli_json_size(&out, "id", best.id);
        cli_json_number(&out, "value", best.value);
        optimize_json_point(&out, s, &best);
        cli_json_end_object(&out);
    } else {
        cli_json_text(&out, "best", NULL);
    }
    cli_json_end_object(&out);
    cli_json_line(&out);
}

static void print_text(const copse_study *s, const counts *n) {
    copse_trial best;
    char buf[CLI_NUMBER_SIZE];
    if (!copse_study_trial(s, copse_study_best(s), &best)) {
        printf("no value has been told yet (%zu pending, %zu failed)\n", n->pending, n->failed);
        return;
    }
    printf("%s value %s, trial %zu of %zu (%zu told, %zu pending, %zu failed)\n",
           copse_study_minimises(s) ? "smallest" : "largest", cli_number(best.value, buf), best.id,
           copse_study_trials(s), n->told, n->pending, n->failed);
    for (size_t k = 0; k < copse_study_dims(s); k++)
        cli_say(copse_study_dim(s, k)->name, "%s", optimize_value(s, k, best.x[k], buf));
}

static int to_stdout(const char *opt_path) {
    return opt_path && cli_is_dash(opt_path);
}

static copse_status check_output(const cli *c, const char *option, const char *study, copse_error *err) {
    const char *path = cli_args_text(&c->args, option);
    char name[16];
    snprintf(name, sizeof name, "--%s", option);
    CLI_TRY(cli_out_not_input(name, path, study, err));
    CLI_TRY(cli_out_not_input(name, path, cli_args_text(&c->args, "grid"), err));
    return path && !cli_is_dash(path) ? cli_out_check_writable(path, err) : COPSE_OK;
}

copse_status optimize_report_check(const cli *c, const char *path, copse_error *err) {
    CLI_TRY(check_output(c, "trace", path, err));
    CLI_TRY(check_output(c, "svg", path, err));
    if (to_stdout(cli_args_text(&c->args, "trace")) && to_stdout(cli_args_text(&c->args, "svg")))
        return cli_fail(err, COPSE_E_USAGE, "--trace and --svg cannot both go to standard output");
    return COPSE_OK;
}

copse_status optimize_report(cli *c, const copse_study *s, const char *path, copse_error *err) {
    const char *trace = cli_args_text(&c->args, "trace"), *svg = cli_args_text(&c->args, "svg");
    counts n = count(s);
    CLI_TRY(optimize_report_check(c, path, err)); /* again: the study may be new */
    if (trace) CLI_TRY(write_trace(s, trace, err));
    if (svg) CLI_TRY(write_svg(c, s, svg, err));
    if (to_stdout(trace) || to_stdout(svg)) return COPSE_OK;
    if (c->json)
        print_json(s, &n);
    else
        print_text(s, &n);
    return cli_out_flush_stdout(NULL, err);
}
