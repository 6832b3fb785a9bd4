/* online - learn from a stream, and predict each row before it is learnt.
 *
 *     online STREAM TARGET MODEL        e.g. copse synth moons --rows 3000 | online - target moons.copse */
#include <stdio.h>
#include <string.h>

#include "copse.h"

enum { FIRST_ROWS = 200, BLOCK_ROWS = 500 };

/* The first rows decide the types and ranges of the columns. */
static copse_status fit_first(copse_stream *stream, const char *target, copse_model **model, copse_error *err) {
    copse_table *first = NULL;
    copse_status status = copse_stream_next(stream, FIRST_ROWS, NULL, &first, err);
    if (!status && !first) {
        snprintf(err->msg, sizeof err->msg, "the stream has no rows");
        return COPSE_E_DATA;
    }
    if (!status) status = copse_fit(first, &(copse_roles){.target = target}, NULL, NULL, model, err);
    if (!status) status = copse_stream_like(stream, *model, err);
    copse_table_free(first);
    return status;
}

/* Scores the predictions that the model makes of the rows before it learns them (prequential evaluation). */
static copse_status score_and_learn(copse_model *model, const copse_table *rows, copse_scorer *scorer,
                                    copse_error *err) {
    copse_prediction *p = NULL;
    copse_scores scores;
    copse_status status = copse_update_predict(model, rows, NULL, &p, err);
    if (!status) status = copse_scorer_add(scorer, p, rows, 0, err);
    copse_prediction_free(p);
    if (status) return status;
    copse_scorer_read(scorer, &scores);
    printf("%6zu rows, accuracy so far %.3f\n", copse_model_rows(model), scores.accuracy);
    return COPSE_OK;
}

int main(int argc, char **argv) {
    copse_stream *stream = NULL;
    copse_model *model = NULL;
    copse_scorer *scorer = NULL;
    copse_table *rows = NULL;
    copse_error err;
    if (argc != 4) return fprintf(stderr, "usage: online STREAM TARGET MODEL\n"), 2;

    const copse_source standard_input = {.name = "<stdin>", .fd = 0};
    copse_status status = strcmp(argv[1], "-") == 0 ? copse_stream_open_from(&standard_input, NULL, NULL, &stream, &err)
                                                    : copse_stream_open(argv[1], NULL, NULL, &stream, &err);
    if (!status) status = fit_first(stream, argv[2], &model, &err);
    if (!status) status = copse_scorer_new(model, 0, &scorer, &err);
    while (!status && !(status = copse_stream_next(stream, BLOCK_ROWS, NULL, &rows, &err)) && rows) {
        status = score_and_learn(model, rows, scorer, &err);
        copse_table_free(rows);
    }
    if (!status) status = copse_save(model, argv[3], 0, NULL, &err);
    if (status) fprintf(stderr, "%s\n", err.msg);
    copse_scorer_free(scorer);
    copse_model_free(model);
    copse_stream_close(stream);
    return (int)status;
}
