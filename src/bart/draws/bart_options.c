#include "bart/draws/bart_options.h"

#include <stdlib.h>
#include <string.h>

#include "bart/mh/bart_mh.h"
#include "bart/pg/bart_pg.h"
#include "base/log.h"
#include "bayes/bayes_options.h"

/* The number N of "word:N"; `initial` for "word" alone; 0 for another word.  The table of options has checked the
 * text. */
static size_t counted(const char *text, const char *word, size_t initial) {
    size_t n = strlen(word);
    if (strncmp(text, word, n) != 0) return 0;
    return text[n] == ':' ? (size_t)strtoull(text + n + 1, NULL, 10) : initial;
}

static void read_cuts(const char *text, cp_bart_options *out) {
    size_t grid = counted(text, "grid", 100), quantile = counted(text, "quantile", 100);
    out->cuts = grid ? CP_BART_CUTS_GRID : quantile ? CP_BART_CUTS_QUANTILE : CP_BART_CUTS_UNIFORM;
    out->cuts_per_column = grid ? grid : quantile;
}

/* The probabilities of all four moves, or of grow and prune alone; scaled to sum to 1. */
static void read_moves(const copse_params *p, int all, double move_prob[CP_BART_MOVES]) {
    static const char *const name[] = {"grow", "prune", "change", "swap"};
    double sum = 0;
    for (int k = 0; k < CP_BART_MOVES; k++) move_prob[k] = 0;
    for (int k = CP_BART_GROW; k <= (all ? CP_BART_SWAP : CP_BART_PRUNE); k++)
        sum += move_prob[k] = cp_param_real(p, name[k]);
    for (int k = 0; k < CP_BART_MOVES; k++) move_prob[k] /= sum;
}

static void read_sampler(const copse_params *p, cp_bart_options *out) {
    int pg = cp_param_is(p, "sampler", "pg");
    out->sampler = pg ? &cp_bart_pg_sampler : &cp_bart_mh_sampler;
    read_moves(p, pg || cp_param_is(p, "sampler", "cgm"), out->sampler_opt.move_prob);
    out->sampler_opt.particles = (size_t)cp_param_int(p, "particles");
    out->sampler_opt.proposal = (cp_bart_pg_proposal)cp_param_int(p, "pg-proposal");
    out->sampler_opt.resampling = cp_bayes_options_resampling(p);
    out->sampler_opt.lookahead = (cp_bart_pg_lookahead)cp_param_int(p, "pg-promise");
    out->sampler_opt.columns = (size_t)cp_param_int(p, "pg-columns");
    out->sampler_opt.ess_threshold = cp_param_real(p, "pg-ess");
    out->sampler_opt.descend_prob = cp_param_real(p, "pg-below");
    out->sampler_opt.mh_moves = (size_t)cp_param_int(p, "local-moves");
}

void cp_bart_options_warn(const copse_params *p, copse_task task, const copse_run *run) {
    static const char *const of_pg[] = {"particles",  "pg-proposal", "resampling", "pg-columns",
                                        "pg-promise", "pg-ess",      "pg-below",   "local-moves"};
    static const char *const of_cgm[] = {"change", "swap"}, *const of_numbers[] = {"nu", "q", "sigma-prior", "noise",
                                                                                   "noise-trees"};
    const char *sampler = cp_param_text(p, "sampler");
    int pg = cp_param_is(p, "sampler", "pg"), cgm = pg || cp_param_is(p, "sampler", "cgm");
    for (size_t i = 0; !pg && i < sizeof of_pg / sizeof *of_pg; i++)
        if (cp_param_is_given(p, of_pg[i]))
            cp_log_warn(run, "`%s` is for `sampler=pg`: %s has no use for it", of_pg[i], sampler);
    for (size_t i = 0; !cgm && i < sizeof of_cgm / sizeof *of_cgm; i++)
        if (cp_param_is_given(p, of_cgm[i]))
            cp_log_warn(run, "`%s` is for `sampler=cgm` and pg: %s has no use for it", of_cgm[i], sampler);
    for (size_t i = 0; task == COPSE_CLASS && i < sizeof of_numbers / sizeof *of_numbers; i++)
        if (cp_param_is_given(p, of_numbers[i]))
            cp_log_warn(run, "`%s` is for numbers: classes have no sigma", of_numbers[i]);
}

cp_bart_options cp_bart_options_of(const copse_params *p) {
    cp_bart_options out = {
        .trees = (size_t)cp_param_int(p, "trees"),
        .burn_in = (size_t)cp_param_int(p, "burn-in"),
        .samples = (size_t)cp_param_int(p, "samples"),
        .thin = (size_t)cp_param_int(p, "thin"),
        .split = cp_bayes_options_split(p),
        .k = cp_param_is(p, "k", "sampled") ? 2 : cp_param_real(p, "k"),
        .sample_k = cp_param_is(p, "k", "sampled"),
        .nu = cp_param_real(p, "nu"),
        .q = cp_param_real(p, "q"),
        .ols = cp_param_is(p, "sigma-prior", "ols"),
        .dart = cp_param_is(p, "sparse", "yes"),
        .prior_only = cp_param_is(p, "prior-only", "yes"),
        .grow_from_root = counted(cp_param_text(p, "warm-start"), "grow", 10),
    };
    if (cp_param_is(p, "noise", "uneven")) out.noise_trees = (size_t)cp_param_int(p, "noise-trees");
    read_sampler(p, &out);
    read_cuts(cp_param_text(p, "cuts"), &out);
    return out;
}
