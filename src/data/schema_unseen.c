#include "data/schema_unseen.h"

#include <string.h>

static int knows(const cp_feature *f, const cp_column *c, size_t level) {
    const char *text = cp_dict_text(&c->levels, level);
    return cp_dict_find(&f->levels, text, strlen(text)) != CP_NONE;
}

/* A quick test for the usual case, that no level is unseen; only worth it if there are fewer levels than rows. */
static int knows_all(const cp_feature *f, const cp_column *c, size_t rows) {
    if (c->levels.n > rows) return 0;
    for (size_t k = 0; k < c->levels.n; k++)
        if (!knows(f, c, k)) return 0;
    return 1;
}

size_t cp_schema_unseen(const cp_schema *s, const copse_table *t, size_t feature, size_t *out_row) {
    const cp_feature *f = &s->feature[feature];
    size_t j = f->kind == COPSE_TEXT ? cp_table_find(t, f->name) : (size_t)-1, n = 0;
    const cp_column *c = j == (size_t)-1 ? NULL : &t->col[j];
    *out_row = 0;
    if (!c || c->kind != COPSE_TEXT || knows_all(f, c, t->rows)) return 0;
    for (size_t i = 0; i < t->rows; i++) {
        if (c->code[i] == CP_NONE || knows(f, c, (size_t)c->code[i])) continue;
        if (!n++) *out_row = i;
    }
    return n;
}
