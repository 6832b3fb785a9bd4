#include "hostile_use.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/dict.h"
#include "data/table.h"
#include "hostile.h"
#include "hostile_models.h"
#include "model/model_file.h"

enum { ROWS = 4, FEATURES = 3 }; /* rows to ask about, features whose effect is asked for */
static const copse_run one_thread = {.threads = 1};

/* ------------------------------------------------------------------------------------------------------------- rows */

static void add_column(copse_table *t, const char *name, copse_kind kind, const char *opt_class) {
    static const double number[ROWS] = {.5, -3, 1e6, NAN};
    cp_column *c;
    copse_error err;
    hostile_demand(!cp_table_add(t, name, kind, &c, &err), "row", err.msg);
    for (size_t i = 0; i < ROWS; i++) {
        const char *text = i && opt_class ? opt_class : "L1";
        if (kind == COPSE_NUMBER)
            c->number[i] = number[i];
        else
            hostile_demand(!cp_dict_add(&c->levels, text, strlen(text), &c->code[i], &err), "row", err.msg);
    }
}

/* The column of a derived feature has no value that every form could read: it is missing everywhere. */
static void add_feature(copse_table *t, const cp_feature *f) {
    cp_column *c;
    copse_error err;
    if (!f->column)
        add_column(t, f->name, f->kind, NULL);
    else if (cp_table_find(t, f->column) == (size_t)-1)
        hostile_demand(!cp_table_add(t, f->column, COPSE_TEXT, &c, &err), "row", err.msg);
}

/* Rows that the model can read: far out and missing ones too, the target of the last row included. */
static copse_table *rows_for(const copse_model *m) {
    const cp_schema *s = m->schema;
    copse_table *t;
    copse_error err;
    int text = s->task == COPSE_CLASS && !s->classes_numeric;
    hostile_demand(!cp_table_new(ROWS, &t, &err), "row", err.msg);
    for (size_t i = 0; i < s->features; i++) add_feature(t, &s->feature[i]);
    add_column(t, s->target, text ? COPSE_TEXT : COPSE_NUMBER, text ? cp_dict_text(&s->classes, 0) : NULL);
    return t;
}

/* ---------------------------------------------------------------------------------------------------------- answers */

/* A Student distribution of at most two degrees of freedom has no variance: where an option sets them, sd may be
 * infinite. */
static int may_lack_variance(const copse_model *m) {
    return copse_params_get(copse_model_params(m), "nu") != NULL;
}

static void check_numbers(const copse_model *m, const copse_prediction *p, size_t row) {
    static const double at[] = {.001, .05, .5, .95, .999}, y[] = {0, 1, -30};
    double sd = copse_prediction_sd(p, row), last = -DBL_MAX, draw[5];
    hostile_demand(isfinite(copse_prediction_mean(p, row)), "predicting", "the mean is not finite");
    hostile_demand(sd > 0 && (isfinite(sd) || may_lack_variance(m)), "predicting", "the sd is not positive and finite");
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        double q = copse_prediction_quantile(p, row, at[i]);
        hostile_demand(isfinite(q) && q >= last - 1e-12 * fabs(last), "predicting",
                       "quantiles are not finite and increasing");
        last = q;
    }
    for (size_t i = 0; i < sizeof y / sizeof *y; i++) {
        double cdf = copse_prediction_cdf(p, row, y[i]), crps = copse_prediction_crps(p, row, y[i]);
        hostile_demand(cdf >= 0 && cdf <= 1, "predicting", "the cdf is not a probability");
        hostile_demand(isfinite(copse_prediction_log_density(p, row, y[i])), "predicting", "the density is not finite");
        hostile_demand((isfinite(crps) && crps >= 0) || may_lack_variance(m), "predicting", "the crps is not finite");
    }
    copse_prediction_draws(p, row, 1, 5, draw);
    for (size_t i = 0; i < 5; i++)
        hostile_demand(isfinite(draw[i]) || may_lack_variance(m), "predicting", "a draw is not finite");
}

static void check_probs(const copse_prediction *p, size_t row) {
    const double *prob = copse_prediction_probs(p, row);
    double sum = 0;
    for (size_t k = 0; k < copse_prediction_classes(p); k++) {
        hostile_demand(prob[k] >= 0 && prob[k] <= 1 + 1e-9, "predicting", "a probability is none");
        sum += prob[k];
    }
    hostile_demand(fabs(sum - 1) < 1e-6, "predicting", "the probabilities do not add up");
    hostile_demand(copse_prediction_label(p, row) < copse_prediction_classes(p), "predicting", "an impossible label");
}

static void check_prediction(const copse_model *m, const copse_prediction *p) {
    for (size_t i = 0; i < copse_prediction_rows(p); i++)
        if (copse_model_task(m) == COPSE_REGRESS)
            check_numbers(m, p, i);
        else
            check_probs(p, i);
}

static void predict(const copse_model *m, const copse_table *t) {
    copse_error err;
    copse_prediction *p;
    hostile_demand(!copse_predict(m, t, NULL, &one_thread, &p, &err), "predicting", err.msg);
    check_prediction(m, p);
    copse_prediction_free(p);
    copse_status status = copse_predict(m, t, &(copse_predict_options){.of_mean = 1}, &one_thread, &p, &err);
    hostile_demand(!status || status == COPSE_E_USAGE, "predicting the mean", err.msg);
    if (status) return;
    for (size_t i = 0; copse_model_task(m) == COPSE_REGRESS && i < ROWS; i++)
        hostile_demand(isfinite(copse_prediction_quantile(p, i, .05)), "predicting the mean", "not finite");
    copse_prediction_free(p);
}

/* The scores of rows that have a target: the last one has none. */
static void evaluate(const copse_model *m, const copse_table *t) {
    copse_error err;
    copse_scores s;
    hostile_demand(!copse_eval(m, t, &(copse_eval_options){.interval = .9}, &one_thread, &s, &err), "evaluating",
                   err.msg);
    if (s.task == COPSE_CLASS)
        hostile_demand(isfinite(s.accuracy) && isfinite(s.log_loss) && isfinite(s.brier), "evaluating", "not finite");
    else
        hostile_demand(isfinite(s.rmse) && isfinite(s.mae) && isfinite(s.nlpd), "evaluating", "not finite");
}

/* ---------------------------------------------------------------------------------------------------- looking at it */

typedef struct listing {
    size_t bytes;
    char last[8]; /* for a "nan" between two pieces */
} listing;

/* A "nan" in a word is no number: a mutant may call the column "many" "nany". */
static int is_nan(const char *bytes, size_t i, size_t n) {
    if (memcmp(bytes + i, "nan", 3) != 0) return 0;
    return !(i > 0 && isalnum((unsigned char)bytes[i - 1])) && !(i + 3 < n && isalnum((unsigned char)bytes[i + 3]));
}

static copse_status swallow(void *arg, const char *bytes, size_t n) {
    listing *l = arg;
    l->bytes += n;
    for (size_t i = 0; i + 2 < n; i++) hostile_demand(!is_nan(bytes, i, n), "listing", "it has a number that is none");
    return COPSE_OK;
}

static void list_trees(const copse_model *m) {
    static const char *const format[] = {"text", "dot", "json"};
    copse_error err;
    listing seen = {0};
    size_t trees = copse_model_trees(m);
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i<trees; i += trees> 1 ? trees - 1 : 1)
            hostile_demand(!copse_model_write_tree(m, i, format[k], swallow, &seen, &err), "listing", err.msg);
    hostile_demand(!copse_model_write_json(m, swallow, &seen, &err), "listing", err.msg);
    hostile_demand(seen.bytes > 0, "listing", "nothing was written");
}

/* Some figures have no value: those that the method does not measure.  None is infinite. */
static void summarise(const copse_model *m) {
    copse_error err;
    copse_figure figure[COPSE_MAX_FIGURES];
    copse_posterior *p;
    copse_diagnosis d;
    char digest[COPSE_DIGEST_SIZE];
    size_t n = copse_model_figures(m, figure);
    for (size_t i = 0; i < n; i++) hostile_demand(!isinf(figure[i].value), "figures", figure[i].name);
    hostile_demand(!copse_model_digest(m, &one_thread, digest, &err), "digest", err.msg);
    copse_status status = copse_model_diagnose(m, &d, &err);
    hostile_demand(!status || status == COPSE_E_USAGE, "diagnosing", err.msg);
    status = copse_posterior_new(m, &one_thread, &p, &err);
    hostile_demand(!status || status == COPSE_E_USAGE, "posterior", err.msg);
    if (status) return;
    for (size_t i = 0; i < copse_model_features(m); i++)
        hostile_demand(copse_posterior_inclusion(p, i) >= 0 && isfinite(copse_posterior_splits(p, i)), "posterior",
                       "an impossible probability");
    copse_posterior_free(p);
}

static void rank_features(const copse_model *m, const copse_table *t) {
    copse_error err;
    double loss;
    size_t n = copse_model_features(m);
    copse_importance *found = calloc(n, sizeof *found);
    copse_status status = copse_importance_impurity(m, &one_thread, found, &err);
    hostile_demand(!status || status == COPSE_E_USAGE, "importance", err.msg);
    for (size_t i = 0; !status && i < n; i++) hostile_demand(isfinite(found[i].mean), "importance", "not finite");
    copse_permute_options opt = {.repeats = 1, .seed = 1, .out_loss = &loss};
    hostile_demand(!copse_importance_permute(m, t, &opt, &one_thread, found, &err), "importance", err.msg);
    hostile_demand(isfinite(loss), "importance", "the loss is not finite");
    for (size_t i = 0; i < n; i++) hostile_demand(isfinite(found[i].mean), "importance", "not finite");
    free(found);
}

static void ask_effects(const copse_model *m, const copse_table *t) {
    copse_error err;
    for (size_t i = 0; i < copse_model_features(m) && i < FEATURES; i++) {
        if (m->schema->feature[i].column) continue; /* it has no values */
        copse_effect *e;
        copse_effect_options opt = {.feature = copse_model_feature(m, i), .points = 3};
        hostile_demand(!copse_effect_new(m, t, &opt, &one_thread, &e, &err), "effect", err.msg);
        for (size_t k = 0; k < copse_effect_points(e); k++)
            hostile_demand(isfinite(copse_effect_mean(e, k, 0)), "effect", "not finite");
        copse_effect_free(e);
    }
}

/* ------------------------------------------------------------------------------------------------- saving, learning */

static void save_and_load(const copse_model *m, const copse_table *t, const char *when) {
    copse_error err;
    copse_model *again;
    char was[COPSE_DIGEST_SIZE], is[COPSE_DIGEST_SIZE];
    image saved = hostile_models_image(m, 0);
    copse_status status = cp_model_file_read(saved.bytes, saved.n, &again, &err);
    hostile_demand(!status, when, err.msg);
    hostile_demand(!copse_model_digest(m, NULL, was, &err) && !copse_model_digest(again, NULL, is, &err), when,
                   err.msg);
    hostile_demand(strcmp(was, is) == 0, when, "another model was loaded than was saved");
    predict(again, t);
    copse_model_free(again);
    free(saved.bytes);
}

static void learn(copse_model *m, const copse_table *t) {
    copse_error err;
    copse_prediction *before = NULL;
    copse_status status = copse_update_predict(m, t, &one_thread, &before, &err);
    copse_prediction_free(before);
    if (status == COPSE_E_USAGE) status = copse_update(m, t, &one_thread, &err); /* an exact posterior */
    hostile_demand(!status, "learning", err.msg);
    hostile_demand(!copse_model_check(m, NULL, &err), "checking after learning", err.msg);
    predict(m, t);
    save_and_load(m, t, "loading what was learnt");
}

void hostile_use_model(copse_model *m) {
    copse_error err;
    copse_table *t = rows_for(m);
    hostile_demand(!copse_model_check(m, NULL, &err), "checking", err.msg);
    predict(m, t);
    evaluate(m, t);
    list_trees(m);
    summarise(m);
    rank_features(m, t);
    ask_effects(m, t);
    save_and_load(m, t, "loading what was saved");
    if (copse_model_can_learn(m)) learn(m, t);
    copse_table_free(t);
}
