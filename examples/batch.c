/* batch - fit a forest to a CSV file and show what it knows about rows it has not seen.
 *
 *     batch FILE TARGET        without arguments: made-up data */
#include <stdio.h>

#include "copse.h"

static void show(const copse_model *model, const copse_prediction *p) {
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

int main(int argc, char **argv) {
    copse_table *all = NULL, *train = NULL, *test = NULL;
    copse_params *params = NULL;
    copse_model *model = NULL;
    copse_prediction *p = NULL;
    copse_scores scores;
    copse_error err;
    copse_roles roles = {.target = argc > 2 ? argv[2] : "target"};
    copse_status status = argc > 2 ? copse_table_read(argv[1], NULL, &all, &err)
                                   : copse_synth("friedman1", 2000, 0, -1, 1, 0, &all, &err);

    if (status || (status = copse_holdout(all, .2, 1, &train, &test, &err)) ||
        (status = copse_params_new("mondrian", &params, &err)) ||
        (status = copse_params_set(params, "hyper", "marginal", &err)) ||
        (status = copse_fit(train, &roles, params, NULL, &model, &err)) ||
        (status = copse_eval(model, test, .9, NULL, &scores, &err)) ||
        (status = copse_predict(model, test, 0, 3, NULL, &p, &err))) {
        fprintf(stderr, "%s\n", err.msg);
    } else {
        printf("learnt from %zu rows; on %zu others:\n", copse_model_rows(model), scores.rows);
        if (scores.task == COPSE_CLASS)
            printf("accuracy %.3f, log loss %.3f\n", scores.accuracy, scores.log_loss);
        else
            printf("rmse %.4g; 90%% intervals hold %.1f%%\n", scores.rmse, 100 * scores.interval_observed);
        show(model, p);
    }
    copse_prediction_free(p);
    copse_model_free(model);
    copse_params_free(params);
    copse_table_free(test);
    copse_table_free(train);
    copse_table_free(all);
    return (int)status;
}
