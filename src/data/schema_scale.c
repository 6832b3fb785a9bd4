#include "data/schema_scale.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/suggest.h"
#include "data/table_match.h"

enum { NAME, MIN, MAX, COLUMNS };

typedef struct scale {
    cp_schema *s;
    const copse_run *run;
    copse_table *t;
    size_t at[COLUMNS]; /* positions of NAME, MIN and MAX among its columns */
} scale;

/* Checks the table and finds its columns.  Afterwards the i-th level of its names stands in row i. */
static copse_status check(copse_table *t, size_t at[COLUMNS], copse_error *err) {
    static const char *const column[COLUMNS] = {"name", "min", "max"};
    char place[300];
    for (size_t k = 0; k < COLUMNS; k++) CP_TRY(cp_table_match_name(t, column[k], COPSE_E_DATA, &at[k], err));
    CP_TRY(cp_table_to_text(t, at[NAME], err));
    for (size_t k = MIN; k <= MAX; k++)
        if (t->col[at[k]].kind != COPSE_NUMBER)
            return cp_fail(err, COPSE_E_DATA, "%s: column '%s' must hold numbers", t->source, column[k]);
    for (size_t i = 0; i < t->rows; i++) {
        double min = t->col[at[MIN]].number[i], max = t->col[at[MAX]].number[i];
        cp_table_where(t, i, place, sizeof place);
        if (t->col[at[NAME]].code[i] != (int32_t)i) /* levels are numbered as they appear */
            return cp_fail_at(err, COPSE_E_DATA, (long)i + 1, (long)at[NAME] + 1,
                              "%s: the name is missing or a repetition", place);
        if (!(min <= max) || !isfinite(max - min))
            return cp_fail_at(err, COPSE_E_DATA, (long)i + 1, (long)at[MIN] + 1,
                              "%s: min and max must be numbers, min the smaller one", place);
    }
    return COPSE_OK;
}

static void warn_of_unknown(const scale *sc, const char *name) {
    cp_suggest similar = {.word = name};
    for (size_t i = 0; i < sc->s->features; i++) cp_suggest_try(&similar, sc->s->feature[i].name);
    cp_log_warn(sc->run, "'%.60s' in %s is not a feature: its range is not used%s%.60s%s", name, sc->t->source,
                similar.best ? ". Did you mean '" : "", similar.best ? similar.best : "", similar.best ? "'?" : "");
}

/* A range that no feature uses most likely has a misspelt name. */
static copse_status warn_of_unknown_names(const scale *sc, const cp_dict *names, copse_error *err) {
    cp_dict known = {0};
    size_t unknown = 0;
    copse_status status = COPSE_OK;
    for (size_t i = 0; i < sc->s->features; i++) {
        int32_t id;
        CP_TRY_OUT(cp_dict_add(&known, sc->s->feature[i].name, strlen(sc->s->feature[i].name), &id, err));
    }
    for (size_t k = 0; k < names->n; k++) {
        const char *name = cp_dict_text(names, k);
        if (cp_dict_find(&known, name, strlen(name)) == CP_NONE && unknown++ < CP_SCHEMA_SAID)
            warn_of_unknown(sc, name);
    }
    if (unknown > CP_SCHEMA_SAID)
        cp_log_warn(sc->run, "... and so on for %zu more name%s of the scale file", unknown - CP_SCHEMA_SAID,
                    cp_plural(unknown - CP_SCHEMA_SAID));
out:
    cp_dict_clear(&known);
    return status;
}

static void set_ranges(const scale *sc) {
    const cp_column *name = &sc->t->col[sc->at[NAME]];
    const double *min = sc->t->col[sc->at[MIN]].number, *max = sc->t->col[sc->at[MAX]].number;
    size_t absent = 0;
    for (size_t i = 0; i < sc->s->features; i++) {
        const cp_feature *f = &sc->s->feature[i];
        if (f->kind == COPSE_TEXT) continue;
        int32_t row = cp_dict_find(&name->levels, f->name, strlen(f->name));
        if (row != CP_NONE)
            cp_schema_set_range(sc->s, f, min[row], max[row]);
        else if (absent++ < CP_SCHEMA_SAID)
            cp_log_info(sc->run, "'%s' is not in %s: the range of the training rows is used", f->name, sc->t->source);
    }
    if (absent > CP_SCHEMA_SAID)
        cp_log_info(sc->run, "... and so on for %zu more column%s not in the scale file", absent - CP_SCHEMA_SAID,
                    cp_plural(absent - CP_SCHEMA_SAID));
}

copse_status cp_schema_scale_apply(cp_schema *s, copse_table *table, const copse_run *run, copse_error *err) {
    scale sc = {.s = s, .run = run, .t = table};
    CP_TRY(check(table, sc.at, err));
    set_ranges(&sc);
    return warn_of_unknown_names(&sc, &table->col[sc.at[NAME]].levels, err);
}
