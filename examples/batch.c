/* batch - fit a forest to a CSV file, score it on held-out rows and print some predictions.
 *
 *     batch FILE TARGET        without arguments: simulated data */
#include <stdio.h>

#include "copse.h"

static void print_scores(const copse_scores *s) {
    if (s->task == COPSE_CLASS)
        printf("accuracy %.3f, log loss %.3f\n", s->accuracy, s->log_loss);
    else
        printf("rmse %.4g; 90%% intervals hold %.1f%%\n", s->rmse, 100 * s->interval_observed);
}

static void print_predictions(const copse_model *model, const copse_prediction *p) {
    for (size_t i = 0; i < copse_prediction_rows(p); i++) {
        if (copse_model_task(model) == COPSE_CLASS) {
            size_t k = copse_prediction_label(p, i);
            printf("%s, with probability %.3f\n", copse_model_class(model, k), copse_prediction_probs(p, i)[k]);
        } else {
            printf("%.4g, and with probability .9 between %.4g and %.4g\n", copse_prediction_mean(p, i),
                   copse_prediction_quantile(p, i, .05), copse_prediction_quantile(p, i, .95));
        }
    }
}

/* A Mondrian forest with one option that is not its default. */
static copse_status fit(const copse_table *train, const char *target, copse_model **model, copse_error *err) {
    copse_params *params = NULL;
    copse_status status = copse_params_new("mondrian", &params, err);
    if (!status) status = copse_params_set(params, "hyper", "marginal", err);
    if (!status) status = copse_fit(train, &(copse_roles){.target = target}, params, NULL, model, err);
    copse_params_free(params);
    return status;
}

static copse_status evaluate(const copse_model *model, const copse_table *test, copse_error *err) {
    copse_scores scores;
    copse_prediction *p = NULL;
    copse_status status = copse_eval(model, test, &(copse_eval_options){.interval = .9}, NULL, &scores, err);
    if (!status) status = copse_predict(model, test, &(copse_predict_options){.n = 3}, NULL, &p, err);
    if (!status) {
        printf("learnt from %zu rows; on %zu others:\n", copse_model_rows(model), scores.rows);
        print_scores(&scores);
        print_predictions(model, p);
    }
    copse_prediction_free(p);
    return status;
}

int main(int argc, char **argv) {
    const char *file = argc > 2 ? argv[1] : NULL, *target = argc > 2 ? argv[2] : "target";
    copse_table *all = NULL, *train = NULL, *test = NULL;
    copse_model *model = NULL;
    copse_error err;

    copse_status status = file ? copse_table_read(file, NULL, NULL, &all, &err)
                               : copse_synth("friedman1", &(copse_synth_options){.rows = 2000, .seed = 1}, &all, &err);
    if (!status) status = copse_holdout(all, .2, 1, &train, &test, &err);
    if (!status) status = fit(train, target, &model, &err);
    if (!status) status = evaluate(model, test, &err);
    if (status) fprintf(stderr, "%s\n", err.msg);

    copse_model_free(model);
    copse_table_free(test);
    copse_table_free(train);
    copse_table_free(all);
    return (int)status;
}
