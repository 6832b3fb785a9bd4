/* diagnose - has the sampler of a model converged? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli_data.h"
#include "cli_json.h"
#include "cli_options_text.h"
#include "cli_out.h"

static void print_json(const copse_model *m, const copse_diagnosis *d) {
    cli_json j = {.file = stdout};
    cli_json_object(&j, NULL);
    cli_json_text(&j, "method", copse_params_method(copse_model_params(m)));
    cli_json_bool(&j, "converged", d->ok);
    cli_json_text(&j, "verdict", d->verdict);
    cli_json_array(&j, "checks");
    for (size_t i = 0; i < d->checks; i++) {
        const copse_check *c = &d->check[i];
        cli_json_object(&j, NULL);
        cli_json_text(&j, "name", c->name);
        cli_json_number(&j, "value", c->value);
        if (!isnan(c->bound)) cli_json_number(&j, c->at_least ? "at_least" : "at_most", c->bound);
        if (isnan(c->value))
            cli_json_number(&j, "ok", NAN); /* null */
        else
            cli_json_bool(&j, "ok", c->ok);
        cli_json_end_object(&j);
    }
    cli_json_end_array(&j);
    cli_json_end_object(&j);
    cli_json_line(&j);
}

static const char *verdict_of(const copse_check *c) {
    if (isnan(c->bound)) return "";
    if (isnan(c->value)) return "?";
    return c->ok ? "ok" : "BAD";
}

/* Prints enough digits to tell a value that violates its bound from the bound. */
static void print_value(const copse_check *c, char buf[CLI_NUMBER_SIZE]) {
    for (int digits = 5; digits <= 17; digits++) {
        snprintf(buf, CLI_NUMBER_SIZE, "%.*g", digits, c->value);
        if (c->ok || strtod(buf, NULL) != c->bound) return;
    }
}

static void print_text(const char *path, const copse_model *m, const copse_diagnosis *d) {
    printf("%s: %s, %s of '%s'\n", cli_source(path), copse_params_method(copse_model_params(m)),
           cli_task_name(copse_model_task(m)), copse_model_target(m));
    for (size_t i = 0; i < d->checks; i++) {
        const copse_check *c = &d->check[i];
        char value[CLI_NUMBER_SIZE] = "unknown", bound[CLI_NUMBER_SIZE] = "", help[CLI_TEXT_SIZE];
        if (!isnan(c->value)) print_value(c, value);
        if (!isnan(c->bound)) snprintf(bound, sizeof bound, "%s %.4g", c->at_least ? ">=" : "<=", c->bound);
        printf("  %-4s%-24s%-11s%-9s%s\n", verdict_of(c), c->name, value, bound, cli_options_text_copy(c->help, help));
    }
    printf("%s\n", d->verdict);
}

static copse_status run(cli *c, copse_error *err) {
    const char *path = cli_args_operand(&c->args, 0);
    copse_model *model = NULL;
    copse_diagnosis d;
    copse_status status = COPSE_OK;
    CLI_TRY_OUT(cli_load(c, path, &model, err));
    CLI_TRY_OUT(copse_model_diagnose(model, &d, err));
    cli_options_text(d.verdict);
    if (c->json)
        print_json(model, &d);
    else
        print_text(path, model, &d);
    CLI_TRY_OUT(cli_out_flush_stdout(NULL, err));
    if (!d.ok) status = cli_fail(err, COPSE_E_CONVERGE, "%s: %s", cli_source(path), d.problem);
out:
    copse_model_free(model);
    return status;
}

static const cli_group groups[] = {{"running", cli_run_options}, {0}};

const cli_command cmd_diagnose = {
    .name = "diagnose",
    .operands = "MODEL",
    .summary = "check whether a sampler (smc, bcart, bart) has converged",
    .more =
        "smc: islands are independent runs; they must agree on the marginal likelihood and have complete trees.\n"
        "bcart: R-hat and effective sample sizes of log posterior and leaf count (rank-normalised,\n"
        "split chains). bart: the same for sigma, log likelihood, leaf count and some fitted values.\n"
        "Exit code 6: the sampler has not converged, or this cannot be told.\n",
    .groups = groups,
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
