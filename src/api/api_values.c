/* Columns from the caller's memory. */
#include <string.h>

#include "api/api_check.h"
#include "base/mem.h"
#include "data/arrow.h"
#include "data/values.h"

static copse_status check_column(const copse_table *t, const char *name, const copse_values *v, copse_error *err) {
    CP_API_NEED(t);
    CP_API_NEED(name);
    CP_API_NEED(v);
    if (!cp_values_size(v->type))
        return cp_fail(err, COPSE_E_USAGE, "column '%.200s': there is no type %d of values", name, (int)v->type);
    if (t->rows && !v->data)
        return cp_fail(err, COPSE_E_USAGE, "column '%.200s': the values of %zu row%s are missing (data is NULL)", name,
                       t->rows, cp_plural(t->rows));
    return COPSE_OK;
}

copse_status copse_table_add_values(copse_table *t, const char *name, const copse_values *values, copse_error *err) {
    CP_TRY(check_column(t, name, values, err));
    return cp_values_add(t, name, values, err);
}

copse_status copse_table_add_codes(copse_table *t, const char *name, const copse_values *codes,
                                   const char *const *levels, size_t n_levels, copse_error *err) {
    cp_values_level *level;
    CP_TRY(check_column(t, name, codes, err));
    if (codes->type == COPSE_F64 || codes->type == COPSE_F32)
        return cp_fail(err, COPSE_E_USAGE, "column '%.200s': codes are whole numbers, not floats", name);
    if (n_levels) CP_API_NEED(levels);
    if (n_levels > INT32_MAX)
        return cp_fail(err, COPSE_E_USAGE, "column '%.200s': %zu levels are too many", name, n_levels);
    CP_TRY(CP_NEW(level, n_levels, err));
    for (size_t k = 0; k < n_levels; k++)
        if (levels[k]) level[k] = (cp_values_level){levels[k], strlen(levels[k])};
    copse_status status = cp_values_add_codes(t, name, codes, level, n_levels, err);
    cp_mem_free(level);
    return status;
}

copse_status copse_table_from_arrow(struct ArrowArrayStream *stream, copse_table **out, copse_error *err) {
    if (out) *out = NULL;
    CP_API_NEED(stream);
    if (!stream->release || !stream->get_schema || !stream->get_next)
        return cp_fail(err, COPSE_E_USAGE, "the Arrow stream was released before, or lacks a function");
    if (!out) {
        stream->release(stream);
        return cp_fail_argument(err, "out");
    }
    return cp_arrow_read(stream, out, err);
}
