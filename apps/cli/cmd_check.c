/* check - checks the invariants of a model file, and prints the digest of what it has learnt. */
#include <string.h>

#include "cli_data.h"
#include "cli_json.h"
#include "cli_out.h"

/* opt_problem: NULL if there is none. */
static void print_json(const char *opt_problem, const char *digest) {
    cli_json j = {.file = stdout};
    cli_json_object(&j, NULL);
    cli_json_bool(&j, "ok", !opt_problem);
    cli_json_array(&j, "problems");
    if (opt_problem) cli_json_text(&j, NULL, opt_problem);
    cli_json_end_array(&j);
    if (!opt_problem) cli_json_text(&j, "digest", digest);
    cli_json_end_object(&j);
    cli_json_line(&j);
}

static void print_text(cli *c, const char *path, const copse_model *m, const char *digest) {
    if (cli_args_has(&c->args, "digest")) {
        printf("%s\n", digest);
        return;
    }
    printf("%s: %s, %s of '%s': every invariant holds\n", cli_source(path), copse_params_method(copse_model_params(m)),
           cli_task_name(copse_model_task(m)), copse_model_target(m));
    if (!c->quiet) cli_say("digest", "%s", digest);
}

static copse_status run(cli *c, copse_error *err) {
    const char *path = cli_args_operand(&c->args, 0);
    char digest[COPSE_DIGEST_SIZE];
    copse_model *model = NULL;
    copse_status status = cli_load(c, path, &model, err);
    if (!status) status = copse_model_check(model, &c->run, err);
    if (!status) status = copse_model_digest(model, &c->run, digest, err);
    if (c->json && (!status || status == COPSE_E_MODEL))
        print_json(status ? err->msg : NULL, digest);
    else if (!status)
        print_text(c, path, model, digest);
    if (!status) status = cli_out_flush_stdout(NULL, err);
    copse_model_free(model);
    return status;
}

static const cli_option check_options[] = {
    {"digest", 0, NULL, "print the digest only: models with equal digests have learnt the same"},
    {0},
};
static const cli_group groups[] = {{"checking", check_options}, {"running", cli_run_options}, {0}};

const cli_command cmd_check = {
    .name = "check",
    .operands = "MODEL",
    .summary = "check a model file; print the digest of what it has learnt",
    .more =
        "Reads the file as every command does, trusting nothing in it, then checks the invariants of the model.\n"
        "The digest is a SHA-256 of what was learnt, without options and the version that wrote the file.\n"
        "Models with equal options and digests predict the same, bit for bit. Exit code 4: the file is damaged.\n",
    .groups = groups,
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
