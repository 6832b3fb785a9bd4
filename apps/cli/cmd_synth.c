/* synth - writes synthetic data as CSV. */
#include <math.h>
#include <string.h>

#include "cli_data.h"
#include "cli_json.h"
#include "cli_out.h"

static void list(const cli *c) {
    cli_json j = {.file = stdout};
    const char *name;
    if (c->json) cli_json_array(&j, NULL);
    for (size_t i = 0; (name = copse_synth_name(i)) != NULL; i++) {
        if (!c->json) {
            printf("  %-14s %s\n", name, copse_synth_summary(i));
            continue;
        }
        cli_json_object(&j, NULL);
        cli_json_text(&j, "name", name);
        cli_json_text(&j, "summary", copse_synth_summary(i));
        cli_json_end_object(&j);
    }
    if (!c->json) return;
    cli_json_end_array(&j);
    cli_json_line(&j);
}

static void print_cell(FILE *f, const copse_table *t, size_t row, size_t col) {
    char number[CLI_NUMBER_SIZE];
    if (copse_table_kind(t, col) == COPSE_TEXT)
        cli_out_field(f, copse_table_text(t, row, col));
    else if (!isnan(copse_table_number(t, row, col)))
        fputs(cli_number(copse_table_number(t, row, col), number), f);
}

/* Returns early if the reader has closed the pipe or a signal came; the caller checks both. */
static void print_table(cli_out *out, const copse_table *t) {
    FILE *f = out->file;
    size_t cols = copse_table_cols(t);
    for (size_t k = 0; k < cols; k++) {
        if (k) fputc(',', f);
        cli_out_field(f, copse_table_name(t, k));
    }
    fputc('\n', f);
    for (size_t i = 0; i < copse_table_rows(t); i++) {
        if (i % 1024 == 0 && (cli_progress_signal() || !cli_out_flush(out))) return;
        for (size_t k = 0; k < cols; k++) {
            if (k) fputc(',', f);
            print_cell(f, t, i, k);
        }
        fputc('\n', f);
    }
}

static copse_status run(cli *c, copse_error *err) {
    uint64_t rows = 1000, dims = 0, seed = 1;
    double noise = -1;
    copse_table *t = NULL;
    cli_out out = {0};
    copse_status status = COPSE_OK;
    const char *name = cli_args_operand(&c->args, 0);
    if (!name) {
        list(c);
        return COPSE_OK;
    }
    CLI_TRY(cli_args_integer(&c->args, "rows", 1, 1e9, &rows, err));
    CLI_TRY(cli_args_integer(&c->args, "dims", 1, 1e6, &dims, err));
    CLI_TRY(cli_args_integer(&c->args, "seed", 0, 9007199254740992.0, &seed, err));
    CLI_TRY(cli_args_number(&c->args, "noise", 0, 1e300, &noise, err));
    copse_synth_options options = {.rows = (size_t)rows,
                                   .dims = (size_t)dims,
                                   .noise = noise > 0 ? noise : 0,
                                   .noise_free = noise == 0,
                                   .seed = seed,
                                   .with_truth = cli_args_has(&c->args, "truth")};
    CLI_TRY_OUT(copse_synth(name, &options, &t, err));
    CLI_TRY_OUT(cli_out_open(&out, cli_args_text(&c->args, "output"), err));
    print_table(&out, t);
    if (cli_progress_signal()) CLI_TRY_OUT(cli_fail(err, COPSE_E_STOPPED, "interrupted"));
    CLI_TRY_OUT(cli_out_commit(&out, err));
out:
    cli_out_abandon(&out);
    copse_table_free(t);
    return status;
}

static const cli_option command_options[] = {
    {"rows", 0, "N", "rows (default 1000)"},
    {"dims", 0, "D", "columns (default: depends on the data set)"},
    {"noise", 0, "S", "standard deviation of the noise, or share of wrong labels (default: depends on the data set)"},
    {"seed", 0, "SEED", "default 1"},
    {"truth", 0, NULL, "add the noise-free column 'truth'"},
    {"output", 'o', "FILE", "write here instead of standard output"},
    {0},
};
static const cli_group groups[] = {{"what to do", command_options}, {"running", cli_run_options}, {0}};

const cli_command cmd_synth = {
    .name = "synth",
    .operands = "[NAME]",
    .summary = "write synthetic data, as CSV",
    .more =
        "Without a name: the list of data sets.\n\n"
        "example\n"
        "  copse synth friedman1 --rows 5000 -o f.csv && copse fit f.csv -t target --holdout .2\n",
    .groups = groups,
    .min_operands = 0,
    .max_operands = 1,
    .run = run,
};
