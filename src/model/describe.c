#include "model/describe.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "model/model_position.h"
#include "model/model_summary.h"
#include "model/posterior.h"
#include "num/math.h"

/* ------------------------------------------------------------------------------------------------------------ JSON */

static void json_names(const cp_dict *d, const char *opt_key, cp_json *j) {
    cp_json_array(j, opt_key);
    for (size_t k = 0; k < d->n; k++) cp_json_text(j, NULL, cp_dict_text(d, k));
    cp_json_close_array(j);
}

/* Raw columns: for each feature the levels that the codes 0, 1, ... stand for; null for numbers. */
static void json_levels(const cp_schema *s, cp_json *j) {
    cp_json_array(j, "levels");
    for (size_t i = 0; i < s->features; i++) {
        if (s->feature[i].kind == COPSE_TEXT)
            json_names(&s->feature[i].levels, NULL, j);
        else
            cp_json_text(j, NULL, NULL);
    }
    cp_json_close_array(j);
}

static void json_features(const cp_schema *s, cp_json *j) {
    char name[256];
    cp_json_array(j, "features");
    for (size_t d = 0; d < s->dims; d++) {
        cp_schema_dim_name(s, d, name, sizeof name);
        cp_json_text(j, NULL, name);
    }
    cp_json_close_array(j);
    if (s->raw) json_levels(s, j);
    json_names(&s->classes, "classes", j);
    cp_json_array(j, "scale");
    for (size_t d = 0; d < s->dims; d++) {
        cp_json_object(j, NULL);
        cp_json_number(j, "min", s->shift[d]);
        cp_json_number(j, "max", s->shift[d] + s->span[d]);
        cp_json_close_object(j);
    }
    cp_json_close_array(j);
}

static void json_head(const copse_model *m, cp_json *j) {
    cp_json_text(j, "method", m->method->info.name);
    cp_json_text(j, "task", m->schema->task == COPSE_CLASS ? "class" : "regress");
}

/* The counts of column i; nothing if the model has none. */
static void json_counts(const copse_model *m, size_t i, cp_json *j) {
    copse_column c;
    copse_level level;
    if (!m->summary) return;
    cp_model_summary_column(m, i, &c);
    cp_json_integer(j, "missing", (int64_t)c.missing);
    if (c.kind == COPSE_TEXT)
        cp_json_integer(j, "unseen", (int64_t)c.unseen);
    else {
        cp_json_number(j, "min", c.min);
        cp_json_number(j, "max", c.max);
        cp_json_array(j, "edges");
        for (size_t k = 0; c.bins && k <= c.bins; k++) cp_json_number(j, NULL, c.edge[k]);
        cp_json_close_array(j);
    }
    cp_json_array(j, "counts");
    for (size_t k = 0; k < c.bins; k++) cp_json_integer(j, NULL, (int64_t)c.count[k]);
    for (size_t k = 0; k < c.levels && cp_model_summary_level(m, i, k, &level); k++)
        cp_json_integer(j, NULL, (int64_t)level.rows);
    cp_json_close_array(j);
}

static void json_columns(const copse_model *m, cp_json *j) {
    const cp_schema *s = m->schema;
    cp_json_array(j, "columns");
    for (size_t i = 0; i < s->features; i++) {
        const cp_feature *f = &s->feature[i];
        cp_json_object(j, NULL);
        cp_json_text(j, "name", f->name);
        cp_json_text(j, "kind", f->kind == COPSE_NUMBER ? "number" : "text");
        if (f->kind == COPSE_TEXT) json_names(&f->levels, "levels", j);
        if (s->raw && !m->summary) cp_json_integer(j, "missing", (int64_t)f->absent);
        if (!s->raw && f->kind == COPSE_TEXT)
            cp_json_text(j, "missing_becomes", cp_dict_text(&f->levels, (size_t)f->fill));
        else if (!s->raw)
            cp_json_number(j, "missing_becomes", f->fill);
        json_counts(m, i, j);
        cp_json_close_object(j);
    }
    cp_json_close_array(j);
    if (!m->summary) return;
    cp_json_object(j, "target_column");
    cp_json_text(j, "name", s->target);
    cp_json_text(j, "kind", s->task == COPSE_CLASS ? "text" : "number");
    if (s->task == COPSE_CLASS) json_names(&s->classes, "levels", j);
    json_counts(m, s->features, j);
    cp_json_close_object(j);
}

static void json_bars(const cp_posterior_bars *b, const char *key, cp_json *j) {
    cp_json_array(j, key);
    for (size_t i = 0; i < b->n; i++) {
        cp_json_object(j, NULL);
        cp_json_integer(j, "value", (int64_t)b->bar[i].value);
        cp_json_number(j, "probability", b->bar[i].probability);
        cp_json_close_object(j);
    }
    cp_json_close_array(j);
}

static void json_posterior(const cp_schema *s, const copse_posterior *p, cp_json *j) {
    cp_json_object(j, "posterior");
    cp_json_number(j, "top", p->top);
    json_bars(&p->leaves, "leaves", j);
    json_bars(&p->depth, "depth", j);
    cp_json_array(j, "features");
    for (size_t i = 0; i < p->features; i++) {
        cp_json_object(j, NULL);
        cp_json_text(j, "feature", s->feature[i].name);
        cp_json_number(j, "inclusion", p->inclusion[i]);
        cp_json_number(j, "splits", p->splits[i]);
        if (p->share) {
            cp_json_number(j, "share", p->share[i].mean);
            cp_json_number(j, "share_low", p->share[i].low);
            cp_json_number(j, "share_high", p->share[i].high);
        }
        cp_json_close_object(j);
    }
    cp_json_close_array(j);
    cp_json_close_object(j);
}

size_t cp_describe_figures(const copse_model *m, copse_figure out[COPSE_MAX_FIGURES]) {
    size_t n = m->method->inspect.figures(m->state, out);
    return n + (m->method->inspect.details ? m->method->inspect.details(m->state, out + n) : 0);
}

/* Of an online method: zeros if the model has learnt from no stream. */
static void json_position(const copse_model *m, cp_json *j) {
    const copse_position none = {0}, *p = m->position ? &m->position->at : &none;
    cp_json_object(j, "position");
    cp_json_integer(j, "rows", (int64_t)p->rows);
    cp_json_integer(j, "bytes", (int64_t)p->bytes);
    cp_json_text(j, "token", p->token);
    cp_json_close_object(j);
}

copse_status cp_describe_model(const copse_model *m, copse_write_fn write, void *arg, copse_error *err) {
    cp_json j;
    copse_figure figure[COPSE_MAX_FIGURES];
    copse_posterior *p = NULL;
    CP_TRY(cp_model_refresh(m, NULL, err));
    if (m->method->inspect.tree_shape) CP_TRY(cp_posterior_new(m, &p, err));
    cp_json_begin(&j, write, arg);
    cp_json_object(&j, NULL);
    json_head(m, &j);
    cp_json_text(&j, "target", m->schema->target);
    cp_json_integer(&j, "rows", (int64_t)m->method->rows(m->state));
    cp_json_integer(&j, "trees", (int64_t)m->method->trees(m->state));
    if (m->method->draws) cp_json_integer(&j, "draws", (int64_t)m->method->draws(m->state));
    cp_json_bool(&j, "can_learn", m->method->update && m->method->can_learn(m->state));
    if (m->method->update) json_position(m, &j);
    json_columns(m, &j);
    json_features(m->schema, &j);
    cp_inspect_options_json(m->params, &j);
    cp_json_object(&j, "figures");
    size_t n = cp_describe_figures(m, figure);
    for (size_t i = 0; i < n; i++) cp_json_number(&j, figure[i].name, figure[i].value);
    cp_json_close_object(&j);
    if (p) json_posterior(m->schema, p, &j);
    if (m->method->inspect.json) m->method->inspect.json(m->state, &j);
    cp_posterior_free(p);
    cp_json_close_object(&j);
    cp_json_newline(&j);
    return cp_json_end(&j, err);
}

static copse_status tree_json(const copse_model *m, size_t tree, copse_write_fn write, void *arg, copse_error *err) {
    cp_json j;
    cp_json_begin(&j, write, arg);
    cp_json_object(&j, NULL);
    json_head(m, &j);
    json_features(m->schema, &j);
    cp_inspect_options_json(m->params, &j);
    CP_TRY(m->method->inspect.tree_json(m->state, tree, &j, err));
    cp_json_close_object(&j);
    cp_json_newline(&j);
    return cp_json_end(&j, err);
}

/* ---------------------------------------------------------------------------------------------------- text and dot */

enum { LEVELS_SHOWN = 8 };

typedef struct lister {
    const copse_model *m;
    size_t tree;
    copse_write_fn write;
    void *arg;
    copse_status status; /* the first failure; nothing is written after it */
} lister;

__attribute__((format(printf, 2, 3))) static void put(lister *l, const char *fmt, ...) {
    char line[1024];
    va_list args;
    if (l->status) return;
    va_start(args, fmt);
    int n = vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (n >= (int)sizeof line) n = (int)sizeof line - 1;
    if (n > 0) l->status = l->write(l->arg, line, (size_t)n);
}

/* Appends to a text that may be full already. */
__attribute__((format(printf, 3, 4))) static void append(char *buf, size_t n, const char *fmt, ...) {
    size_t used = strlen(buf);
    va_list args;
    va_start(args, fmt);
    vsnprintf(buf + used, n - used, fmt, args);
    va_end(args);
}

/* "{red, blue, ... 3 more}" */
static void set_text(const cp_feature *f, const uint32_t *set, char *buf, size_t n) {
    size_t left = 0;
    append(buf, n, "{");
    for (size_t k = 0; k < f->levels.n; k++) {
        if (!(set[k / 32] >> k % 32 & 1)) continue;
        if (left++ < LEVELS_SHOWN) append(buf, n, "%s%.40s", left > 1 ? ", " : "", cp_dict_text(&f->levels, k));
    }
    if (left > LEVELS_SHOWN) append(buf, n, ", ... %zu more", left - LEVELS_SHOWN);
    append(buf, n, "}");
}

/* A cut is printed with the six digits of a float.  If it is stored as a small distance from a large offset, the sum
 * needs more digits. */
static void cut_text(const cp_schema *s, const cp_inspect_node *v, char *buf, size_t n) {
    double offset = v->cut * s->span[v->dim], cut = s->shift[v->dim] + offset;
    double more = s->shift[v->dim] != 0 && s->raw ? ceil(cp_math_log10(fabs(cut) / fmax(fabs(offset), 1e-9))) : 0;
    append(buf, n, "%.*g", 6 + (int)fmin(fmax(more, 0), 9), cut);
    if (v->cut_halfwidth > 0) append(buf, n, " +- %.2g", v->cut_halfwidth * s->span[v->dim]);
}

/* The condition under which rows go left, in the user's units: "age <= 41.5", "colour in {red, blue} or missing".
 * Missing values are mentioned only if the training rows had some. */
static void split_text(const lister *l, const cp_inspect_node *v, char *buf, size_t n) {
    const cp_schema *s = l->m->schema;
    const cp_feature *f = cp_schema_feature_of(s, v->dim);
    cp_schema_dim_name(s, v->dim, buf, n);
    if (!v->set && isinf(v->cut)) { /* all values on one side, the missing ones on the other */
        append(buf, n, v->missing_left ? " is missing" : " is not missing");
        return;
    }
    append(buf, n, v->set ? " in " : " <= ");
    if (v->set)
        set_text(f, v->set, buf, n);
    else
        cut_text(s, v, buf, n);
    if (v->missing_left && f->absent) append(buf, n, " or missing");
}

static void leaf_text(const lister *l, const cp_inspect_node *v, char *buf, size_t n) {
    const char *label = v->label != CP_NONE ? cp_dict_text(&l->m->schema->classes, (size_t)v->label) : "";
    if (v->rows == CP_ROWS_UNKNOWN) {
        snprintf(buf, n, "%s", v->note);
        return;
    }
    snprintf(buf, n, "%zu row%s%s%s%s%s", v->rows, cp_plural(v->rows), *label ? ", " : "", label, *v->note ? ", " : "",
             v->note);
}

/* Replaces characters that would end a quoted string of dot. */
static void dot_escape(char *s, size_t n) {
    for (size_t i = 0; s[i] && i < n; i++)
        if (s[i] == '"' || s[i] == '\\') s[i] = '\'';
}

static void dot_node(lister *l, int32_t id, const cp_inspect_node *v, const char *words) {
    char text[512];
    snprintf(text, sizeof text, "%s", words);
    dot_escape(text, sizeof text);
    if (v->left == CP_NONE) {
        put(l, "  n%d [shape=box, label=\"%s\"];\n", id, text);
        return;
    }
    put(l, "  n%d [label=\"%s%s%s\"];\n", id, text, *v->note ? "\\n" : "", v->note);
    put(l, "  n%d -> n%d [label=\"yes\"];\n  n%d -> n%d [label=\"no\"];\n", id, v->left, id, v->right);
}

typedef struct visit {
    int32_t node, depth;
} visit;

/* Depth first, with an explicit stack: trees may be deeper than the C stack allows. */
static copse_status list_nodes(lister *l, int dot, copse_error *err) {
    visit *todo = NULL;
    size_t n = 0, cap = 0;
    copse_status status = CP_GROW(todo, cap, 2, err);
    if (status) return status;
    todo[n++] = (visit){0, 0};
    while (n && !l->status) {
        visit at = todo[--n];
        cp_inspect_node v;
        char words[512];
        l->m->method->inspect.tree_node(l->m->state, l->tree, at.node, &v);
        int leaf = v.left == CP_NONE;
        if (leaf)
            leaf_text(l, &v, words, sizeof words);
        else
            split_text(l, &v, words, sizeof words);
        if (dot)
            dot_node(l, at.node, &v, words);
        else
            put(l, "%*s%s%s%s%s\n", 2 * at.depth, "", words, leaf || !*v.note ? "" : "   (", leaf ? "" : v.note,
                leaf || !*v.note ? "" : ")");
        if (leaf) continue;
        CP_TRY_OUT(CP_GROW(todo, cap, n + 2, err));
        todo[n++] = (visit){v.right, at.depth + 1};
        todo[n++] = (visit){v.left, at.depth + 1};
    }
out:
    cp_mem_free(todo);
    return status;
}

copse_status cp_describe_tree(const copse_model *m, size_t tree, const char *format, copse_write_fn write, void *arg,
                              copse_error *err) {
    size_t trees = m->method->trees(m->state);
    if (tree >= trees)
        return cp_fail(err, COPSE_E_USAGE, "there is no tree %zu: the model has %zu, numbered from 0", tree, trees);
    CP_TRY(cp_model_refresh(m, NULL, err));
    if (!strcmp(format, "json")) return tree_json(m, tree, write, arg, err);
    int dot = !strcmp(format, "dot");
    if (!dot && strcmp(format, "text") != 0)
        return cp_fail(err, COPSE_E_USAGE, "unknown tree format '%.40s'; there are text, dot and json", format);
    lister l = {.m = m, .tree = tree, .write = write, .arg = arg};
    if (dot) put(&l, "digraph tree {\n  node [fontname=\"sans-serif\"];\n");
    CP_TRY(list_nodes(&l, dot, err));
    if (dot) put(&l, "}\n");
    return l.status ? cp_fail(err, l.status, "the tree could not be written") : COPSE_OK;
}
