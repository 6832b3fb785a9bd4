/* online - learn a stream row by row, predicting each row before its answer is known.
 *
 *     online STREAM TARGET MODEL        e.g. copse synth moons --rows 3000 | online - target moons.copse */
#include <stdio.h>

#include "copse.h"

enum { FIRST = 200, BLOCK = 500 };

/* The first rows set the types and ranges of the columns; from then on the model only grows. */
static copse_status begin(copse_stream *stream, const char *target, copse_model **model, copse_error *err) {
    copse_table *first = NULL;
    copse_status status = copse_stream_next(stream, FIRST, &first, err);
    if (!status && !first) {
        snprintf(err->msg, sizeof err->msg, "the stream has no rows");
        return COPSE_E_DATA;
    }
    if (!status) status = copse_fit(first, &(copse_roles){.target = target}, NULL, NULL, model, err);
    if (!status) status = copse_stream_like(stream, *model, err);
    copse_table_free(first);
    return status;
}

static copse_status learn(copse_model *model, const copse_table *rows, copse_scorer *scorer, copse_error *err) {
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

    copse_status status = copse_stream_open(argv[1], NULL, &stream, &err);
    if (!status) status = begin(stream, argv[2], &model, &err);
    if (!status) status = copse_scorer_new(model, 0, &scorer, &err);
    while (!status && !(status = copse_stream_next(stream, BLOCK, &rows, &err)) && rows) {
        status = learn(model, rows, scorer, &err);
        copse_table_free(rows);
    }
    if (!status) status = copse_save(model, argv[3], 0, &err);
    if (status) fprintf(stderr, "%s\n", err.msg);
    copse_scorer_free(scorer);
    copse_model_free(model);
    copse_stream_close(stream);
    return (int)status;
}
