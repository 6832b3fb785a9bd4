#include "optimize_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int optimize_number(const char *text, double *out) {
    char *end = NULL;
    *out = strtod(text, &end);
    return end != text && *end == '\0';
}

void optimize_dims_clear(optimize_dims *d) {
    for (size_t k = 0; k < d->n; k++) {
        free(d->text[k]);
        free(d->level[k]);
    }
    free(d->dim);
    free(d->text);
    free(d->level);
    *d = (optimize_dims){0};
}

static copse_status fail_dimension(const char *word, copse_error *err) {
    return cli_fail(err, COPSE_E_USAGE,
                    "'%.100s' is not a dimension: NAME=LOW:HIGH, with :int or :log behind it, or NAME=LEVEL,LEVEL%s",
                    word, strchr(word, ':') && strchr(word, ',') ? " (no ':' in them; a table may, --grid)" : "");
}

/* text: what follows the '='; strtok_r modifies it. */
static copse_status read_range(copse_dim *d, char *text, const char *word, copse_error *err) {
    char *save = NULL, *low = strtok_r(text, ":", &save), *high = strtok_r(NULL, ":", &save);
    if (!low || !high || !optimize_number(low, &d->low) || !optimize_number(high, &d->high))
        return fail_dimension(word, err);
    for (char *more; (more = strtok_r(NULL, ":", &save)) != NULL;) {
        if (strcmp(more, "int") == 0)
            d->kind = COPSE_DIM_INTEGER;
        else if (strcmp(more, "log") == 0)
            d->log = 1;
        else
            return fail_dimension(word, err);
    }
    return COPSE_OK;
}

/* A single level is refused as a typing error, such as x=0..1. */
static copse_status read_levels(copse_dim *d, char *text, const char ***out, const char *word, copse_error *err) {
    size_t n = 1;
    for (const char *c = text; *c; c++) n += *c == ',';
    if (n < 2) return fail_dimension(word, err);
    *out = calloc(n, sizeof **out);
    if (!*out) return cli_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        (*out)[i] = text;
        text += strcspn(text, ",");
        *text++ = '\0';
    }
    d->kind = COPSE_DIM_CATEGORY;
    d->levels = *out;
    d->n_levels = n;
    return COPSE_OK;
}

static copse_status read_dim(optimize_dims *d, size_t k, const char *word, copse_error *err) {
    char *text = d->text[k] = strdup(word);
    if (!text) return cli_fail_memory(err);
    char *equals = strchr(text, '=');
    if (!equals || equals == text) return fail_dimension(word, err);
    *equals = '\0';
    d->dim[k].name = text;
    return strchr(equals + 1, ':') ? read_range(&d->dim[k], equals + 1, word, err)
                                   : read_levels(&d->dim[k], equals + 1, &d->level[k], word, err);
}

copse_status optimize_dims_read(optimize_dims *d, const char *const *word, size_t n, copse_error *err) {
    *d = (optimize_dims){.n = n};
    d->dim = calloc(n + 1, sizeof *d->dim);
    d->text = calloc(n + 1, sizeof *d->text);
    d->level = calloc(n + 1, sizeof *d->level);
    if (!d->dim || !d->text || !d->level) {
        d->n = 0;
        return cli_fail_memory(err);
    }
    for (size_t k = 0; k < n; k++) CLI_TRY(read_dim(d, k, word[k], err));
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------- points */

static copse_status find_level(const copse_dim *d, const char *text, double *out, copse_error *err) {
    cli_suggest near = {.word = text};
    for (size_t i = 0; i < d->n_levels; i++) {
        if (strcmp(d->levels[i], text) == 0) {
            *out = (double)i;
            return COPSE_OK;
        }
        cli_suggest_try(&near, d->levels[i]);
    }
    return cli_fail(err, COPSE_E_USAGE, "'%.100s' is no level of '%.100s'%s%.100s", text, d->name,
                    near.best ? "; did you mean " : "", near.best ? near.best : "");
}

static copse_status read_coordinate(const copse_study *s, const char *word, double *out, copse_error *err) {
    size_t n = strcspn(word, "=");
    for (size_t k = 0; word[n] && k < copse_study_dims(s); k++) {
        const copse_dim *d = copse_study_dim(s, k);
        if (strlen(d->name) != n || strncmp(d->name, word, n) != 0) continue;
        if (!isnan(out[k])) return cli_fail(err, COPSE_E_USAGE, "'%.100s' is given twice", d->name);
        if (d->kind == COPSE_DIM_CATEGORY) return find_level(d, word + n + 1, &out[k], err);
        if (optimize_number(word + n + 1, &out[k]) && !isnan(out[k])) return COPSE_OK;
        return cli_fail(err, COPSE_E_USAGE, "'%.100s': '%.40s' is not a number", d->name, word + n + 1);
    }
    return cli_fail(err, COPSE_E_USAGE, "'%.100s' is no dimension of the study and its value, NAME=VALUE", word);
}

copse_status optimize_point_read(const copse_study *s, const char *const *word, size_t n, double *out,
                                 copse_error *err) {
    for (size_t k = 0; k < copse_study_dims(s); k++) out[k] = NAN;
    for (size_t i = 0; i < n; i++) CLI_TRY(read_coordinate(s, word[i], out, err));
    for (size_t k = 0; k < copse_study_dims(s); k++)
        if (isnan(out[k]))
            return cli_fail(err, COPSE_E_USAGE, "the point has no value of '%.100s'", copse_study_dim(s, k)->name);
    return COPSE_OK;
}

const char *optimize_value(const copse_study *s, size_t dim, double value, char buf[CLI_NUMBER_SIZE]) {
    const copse_dim *d = copse_study_dim(s, dim);
    return d->kind == COPSE_DIM_CATEGORY ? d->levels[(size_t)value] : cli_number(value, buf);
}
