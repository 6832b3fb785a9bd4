#include "data/arrow.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/arrow_column.h"

/* What was taken from the stream; all of it is released at the end. */
typedef struct batches {
    struct ArrowArrayStream *stream;
    struct ArrowSchema schema;
    struct ArrowArray *array;
    size_t n, cap, rows;
} batches;

/* A producer sets `release` to NULL when it has released a struct, and a struct is never released twice. */
static void release(batches *b) {
    for (size_t i = 0; i < b->n; i++)
        if (b->array[i].release) b->array[i].release(&b->array[i]);
    if (b->schema.release) b->schema.release(&b->schema);
    if (b->stream->release) b->stream->release(b->stream);
    cp_mem_free(b->array);
}

static copse_status producer_failed(const batches *b, int code, copse_error *err) {
    const char *why = b->stream->get_last_error ? b->stream->get_last_error(b->stream) : NULL;
    char number[32];
    snprintf(number, sizeof number, "error %d", code);
    return cp_fail(err, COPSE_E_DATA, "the producer of the Arrow stream failed: %.700s", why ? why : number);
}

static copse_status get_schema(batches *b, copse_error *err) {
    int code = b->stream->get_schema(b->stream, &b->schema);
    if (code) {
        b->schema.release = NULL;
        return producer_failed(b, code, err);
    }
    const struct ArrowSchema *s = &b->schema;
    if (!s->format || strcmp(s->format, "+s") != 0)
        return cp_fail(
            err, COPSE_E_DATA,
            "the Arrow stream holds items of the format '%.40s', not record batches: give a table, such as a "
            "struct with a field per column",
            s->format ? s->format : "");
    if (s->n_children < 0 || (s->n_children && !s->children))
        return cp_fail(err, COPSE_E_DATA, "the schema of the Arrow stream is malformed: its fields are missing");
    return COPSE_OK;
}

static copse_status check_batch(const batches *b, const struct ArrowArray *a, copse_error *err) {
    if (a->length >= 0 && a->offset >= 0 && a->n_children == b->schema.n_children && (!a->n_children || a->children))
        return COPSE_OK;
    return cp_fail(err, COPSE_E_DATA, "a record batch of the Arrow stream is malformed: it has %lld columns, not %lld",
                   (long long)a->n_children, (long long)b->schema.n_children);
}

static copse_status get_batches(batches *b, copse_error *err) {
    for (;;) {
        CP_TRY(CP_GROW(b->array, b->cap, b->n + 1, err));
        struct ArrowArray *a = &b->array[b->n];
        *a = (struct ArrowArray){0};
        int code = b->stream->get_next(b->stream, a);
        if (code) return producer_failed(b, code, err);
        if (!a->release) return COPSE_OK;
        b->n++;
        CP_TRY(check_batch(b, a, err));
        if (__builtin_add_overflow(b->rows, (size_t)a->length, &b->rows)) return cp_fail_memory(err);
    }
}

/* Indexes are whole numbers, and the values of a dictionary have no dictionary. */
static copse_status read_types(const struct ArrowSchema *s, const char *name, cp_arrow_type *type, cp_arrow_type *codes,
                               copse_error *err) {
    CP_TRY(cp_arrow_type_read(s->format, name, codes, err));
    if (!s->dictionary) {
        *type = *codes;
        return COPSE_OK;
    }
    int whole = codes->kind == CP_ARROW_NUMBERS && codes->numbers != COPSE_F64 && codes->numbers != COPSE_F32;
    if (!whole || s->dictionary->dictionary)
        return cp_fail(err, COPSE_E_DATA, "column '%.200s' of the Arrow stream has a dictionary that is not taken",
                       name);
    return cp_arrow_type_read(s->dictionary->format, name, type, err);
}

/* A column without a name is x<its number>, as in CSV. */
static const char *name_of(const struct ArrowSchema *s, size_t j, char buf[32]) {
    if (s->name && *s->name) return s->name;
    snprintf(buf, 32, "x%zu", j + 1);
    return buf;
}

static copse_status add_column(copse_table *t, const batches *b, size_t j, copse_error *err) {
    const struct ArrowSchema *s = b->schema.children[j];
    cp_arrow_type type, codes;
    cp_column *c;
    char buf[32];
    if (!s) return cp_fail(err, COPSE_E_DATA, "the schema of the Arrow stream is malformed: a field is missing");
    const char *name = name_of(s, j, buf);
    CP_TRY(read_types(s, name, &type, &codes, err));
    CP_TRY(cp_table_add(t, name, cp_arrow_type_is_text(&type) ? COPSE_TEXT : COPSE_NUMBER, &c, err));
    c->asked = c->kind == COPSE_TEXT;
    cp_arrow_column_part part = {.type = &type, .codes = s->dictionary ? &codes : NULL};
    for (size_t i = 0; i < b->n; i++) {
        part.parent = &b->array[i];
        part.array = part.parent->children[j];
        part.row += part.n;
        part.n = (size_t)part.parent->length;
        CP_TRY(cp_arrow_column_fill(c, &part, err));
    }
    return COPSE_OK;
}

static copse_status make_table(const batches *b, copse_table **out, copse_error *err) {
    copse_table *t;
    CP_TRY(cp_table_new(b->rows, &t, err));
    copse_status status = COPSE_OK;
    for (size_t j = 0; j < (size_t)b->schema.n_children && !status; j++) status = add_column(t, b, j, err);
    if (status)
        cp_table_free(t);
    else
        *out = t;
    return status;
}

copse_status cp_arrow_read(struct ArrowArrayStream *stream, copse_table **out, copse_error *err) {
    batches b = {.stream = stream};
    *out = NULL;
    copse_status status = get_schema(&b, err);
    if (!status) status = get_batches(&b, err);
    if (!status) status = make_table(&b, out, err);
    release(&b);
    return status;
}
