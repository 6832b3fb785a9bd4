/* Ranges that a file gives, columns name,min,max, instead of those of the training rows. */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/suggest.h"
#include "data/schema.h"
#include "io/read.h"

enum { NAME, MIN, MAX, COLUMNS };

typedef struct scale {
    cp_schema *s;
    const char *path;
    const copse_run *run;
    copse_table *t;
    size_t at[COLUMNS]; /* where its columns are */
} scale;

/* Checks the scale file and says where its columns are; afterwards the i-th level of its names stands in row i. */
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

static void warn_of_stranger(const scale *sc, const char *name) {
    cp_suggest near = {.word = name};
    for (size_t i = 0; i < sc->s->features; i++) cp_suggest_try(&near, sc->s->feature[i].name);
    cp_log_warn(sc->run, "'%.60s' in %s is not a feature: its range is not used%s%.60s%s", name, sc->path,
                near.best ? ". Did you mean '" : "", near.best ? near.best : "", near.best ? "'?" : "");
}

/* A range that nothing uses is most likely a name spelt wrong. */
static copse_status warn_of_strangers(const scale *sc, const cp_dict *names, copse_error *err) {
    cp_dict known = {0};
    size_t strangers = 0;
    copse_status status = COPSE_OK;
    for (size_t i = 0; i < sc->s->features; i++) {
        int32_t id;
        CP_TRY_OUT(cp_dict_add(&known, sc->s->feature[i].name, strlen(sc->s->feature[i].name), &id, err));
    }
    for (size_t k = 0; k < names->n; k++) {
        const char *name = cp_dict_text(names, k);
        if (cp_dict_find(&known, name, strlen(name)) == CP_NONE && strangers++ < CP_SCHEMA_SAID)
            warn_of_stranger(sc, name);
    }
    if (strangers > CP_SCHEMA_SAID)
        cp_log_warn(sc->run, "... and so on for %zu more name%s of the scale file", strangers - CP_SCHEMA_SAID,
                    cp_plural(strangers - CP_SCHEMA_SAID));
out:
    cp_dict_clear(&known);
    return status;
}

static void use(const scale *sc) {
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
            cp_log_info(sc->run, "'%s' is not in %s: the range of the training rows is used", f->name, sc->path);
    }
    if (absent > CP_SCHEMA_SAID)
        cp_log_info(sc->run, "... and so on for %zu more column%s not in the scale file", absent - CP_SCHEMA_SAID,
                    cp_plural(absent - CP_SCHEMA_SAID));
}

copse_status cp_schema_scale_read(cp_schema *s, const char *path, const copse_run *run, copse_error *err) {
    scale sc = {.s = s, .path = path, .run = run};
    CP_TRY(cp_read_file(path, &(cp_read_options){.stop = run ? run->stop : NULL}, &sc.t, err));
    copse_status status = check(sc.t, sc.at, err);
    if (!status) use(&sc);
    if (!status) status = warn_of_strangers(&sc, &sc.t->col[sc.at[NAME]].levels, err);
    cp_table_free(sc.t);
    return status;
}
