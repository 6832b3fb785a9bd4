/* The table of docs/format.md, "Numbers", held against the reader: every section of real numbers of every method has a
 * row, a number beyond its range is refused with the name of the section, and a number at its ends is not.
 *
 *     number_ranges docs/format.md [ELEMENTS]      of each section, spread evenly: 8 unless given */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostile.h"
#include "hostile_models.h"
#include "model/model_file.h"

enum { MAX_ROWS = 200, ELEMENTS = 8 };
typedef enum also { NOTHING = 0, ZERO = 1, NOT_A_NUMBER = 2, INFINITE = 4 } also;

typedef struct row {
    char method[20], name[60];
    int element; /* -1: all */
    double least, most;
    also besides;
    long tried;
} row;

typedef struct table {
    row row[MAX_ROWS];
    size_t rows;
} table;

/* --------------------------------------------------------------------------------------------------------- document */

static void read_row(const char *line, row *out) {
    char besides[20] = "";
    int n = sscanf(line, "| %19s | `%59[^`]` | %lf | %lf | %19[^|]", out->method, out->name, &out->least, &out->most,
                   besides);
    hostile_demand(n >= 4, "a row of the table that cannot be read", line);
    out->besides = strstr(besides, "NaN")        ? NOT_A_NUMBER
                   : strstr(besides, "infinite") ? INFINITE
                   : strchr(besides, '0')        ? ZERO
                                                 : NOTHING;
    char *element = strchr(out->name, '[');
    out->element = element ? (int)strtol(element + 1, NULL, 10) : -1;
    if (element) *element = '\0';
}

static void read_table(const char *path, table *t) {
    char line[400];
    int inside = 0;
    FILE *f = fopen(path, "r");
    hostile_demand(f != NULL, "cannot open", path);
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, "## ", 3) == 0) inside = strncmp(line, "## Numbers", 10) == 0;
        if (!inside || line[0] != '|' || !strchr(line, '`')) continue;
        hostile_demand(t->rows < MAX_ROWS, "reading", "too many rows");
        read_row(line, &t->row[t->rows++]);
    }
    fclose(f);
    hostile_demand(t->rows > 0, "no table of numbers in", path);
}

static int same_name(const char *pattern, const char *name) {
    for (; *pattern; pattern++) {
        if (*pattern == '#') {
            if (!isdigit((unsigned char)*name)) return 0;
            while (isdigit((unsigned char)*name)) name++;
        } else if (*pattern != *name++) {
            return 0;
        }
    }
    return !*name;
}

static int is_about(const row *r, const char *method, const char *name) {
    return same_name(r->name, name) && (strcmp(r->method, "all") == 0 || strcmp(r->method, method) == 0);
}

/* The row for an element; groups are as long as they have rows. */
static row *find_row(table *t, const char *method, const char *name, size_t element) {
    size_t group = 0;
    for (size_t i = 0; i < t->rows; i++) group += (size_t)is_about(&t->row[i], method, name);
    for (size_t i = 0; i < t->rows; i++)
        if (is_about(&t->row[i], method, name) &&
            (t->row[i].element < 0 || (size_t)t->row[i].element == element % group))
            return &t->row[i];
    return NULL;
}

/* The word that the table has for the method that the section `where` names. */
static const char *family(const part *p, size_t n, const char *where) {
    static const char *const greedy[] = {"cart", "rf", "ert", "bf", "ssf", "ebf"};
    static char name[20];
    for (size_t i = 0; i < n; i++)
        if (strcmp(p[i].name, where) == 0) snprintf(name, sizeof name, "%.*s", (int)p[i].count, (char *)p[i].data);
    for (size_t i = 0; i < sizeof greedy / sizeof *greedy; i++)
        if (strcmp(name, greedy[i]) == 0) return "greedy";
    return strcmp(name, "smc") == 0 || strcmp(name, "bcart") == 0 ? "btree" : name;
}

/* A section as the table knows it.  The sections of a method within another, model.member.0.state.NAME, have the ranges
 * of model.NAME of that method, which model.member.0.method names. */
static const char *known_as(const part *p, size_t n, const char *name, char *out, size_t size) {
    const char *state = strstr(name, ".state.");
    char where[200];
    snprintf(out, size, "%s", name);
    if (!state) return family(p, n, "method");
    snprintf(out, size, "model.%s", state + strlen(".state."));
    snprintf(where, sizeof where, "%.*s.method", (int)(state - name), name);
    return family(p, n, where);
}

/* ----------------------------------------------------------------------------------------------------------- reader */

typedef struct job {
    part part[MAX_PARTS];
    size_t parts;
    long tried;
} job;

/* Is the file refused because the number is out of range? */
static int refuses(const job *j, const part *s) {
    copse_error err = {0};
    copse_model *m = NULL;
    char says[300];
    image in = parts_join(j->part, j->parts);
    copse_status status = cp_model_file_read(in.bytes, in.n, &m, &err);
    free(in.bytes);
    copse_model_free(m);
    hostile_demand(!status || status == COPSE_E_MODEL, s->name, err.msg);
    snprintf(says, sizeof says, "section '%s'", s->name);
    return status && strstr(err.msg, "out of range") && strstr(err.msg, says);
}

static void expect(job *j, part *s, size_t element, double value, int refused) {
    unsigned char was[8];
    size_t size = s->type == CP_F64 ? 8 : 4;
    char text[60];
    memcpy(was, s->data + element * size, size);
    parts_set(s, element, value);
    snprintf(text, sizeof text, "element %zu, %g: %s", element, value, refused ? "was not refused" : "was refused");
    hostile_demand(refuses(j, s) == refused, s->name, text);
    memcpy(s->data + element * size, was, size);
    j->tried++;
}

/* A number a little beyond an end of a range.  There is none between 0 and the least number of a type: below it comes a
 * negative one. */
static double beyond(double end, double sign, cp_codec_type type) {
    double least = type == CP_F32 ? 1e-44 : 1e-300;
    return fabs(end) < least ? sign * 1e-30 : end + sign * fabs(end) * .02;
}

static void try_element(job *j, part *s, size_t element, row *r) {
    expect(j, s, element, r->least, 0);
    expect(j, s, element, r->most, 0);
    if (r->least > -1.7e308) expect(j, s, element, beyond(r->least, -1, s->type), 1);
    if (r->most < 1.7e308) expect(j, s, element, beyond(r->most, 1, s->type), 1);
    expect(j, s, element, NAN, !(r->besides & NOT_A_NUMBER));
    expect(j, s, element, INFINITY, !(r->besides & INFINITE));
    expect(j, s, element, -INFINITY, !(r->besides & INFINITE));
    expect(j, s, element, 0, !(r->besides & ZERO) && !(r->least <= 0 && r->most >= 0));
    r->tried++;
}

static void try_model(job *j, table *t, size_t elements) {
    for (size_t i = 0; i < j->parts; i++) {
        part *s = &j->part[i];
        char name[200];
        const char *method = known_as(j->part, j->parts, s->name, name, sizeof name);
        if (s->type != CP_F32 && s->type != CP_F64) continue;
        size_t n = s->count < elements ? s->count : elements;
        for (size_t k = 0; k < n; k++) {
            size_t element = n == s->count ? k : (2 * k + 1) * s->count / (2 * n);
            row *r = find_row(t, method, name, element);
            hostile_demand(r != NULL, "docs/format.md has no range for", s->name);
            if (!strstr(s->name, ".0.") && strpbrk(s->name, "123456789")) continue; /* the first tree's will do */
            try_element(j, s, element, r);
        }
    }
}

int main(int argc, char **argv) {
    static image model[MAX_MODELS];
    static table t;
    static job j;
    hostile_demand(argc > 1, "usage", "number_ranges docs/format.md [ELEMENTS]");
    size_t elements = argc > 2 ? (size_t)strtol(argv[2], NULL, 10) : ELEMENTS, models = hostile_models_make(model);
    read_table(argv[1], &t);
    for (size_t i = 0; i < models; i++) {
        j.parts = parts_take(model[i].bytes, model[i].n, j.part);
        try_model(&j, &t, elements);
        parts_free(j.part, j.parts);
        free(model[i].bytes);
    }
    for (size_t i = 0; i < t.rows; i++)
        hostile_demand(t.row[i].tried > 0, "docs/format.md has a range that no model uses", t.row[i].name);
    printf("%ld passed, 0 failed\n", j.tried);
    return 0;
}
