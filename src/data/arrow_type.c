#include "data/arrow_type.h"

#include <string.h>

/* Times are seconds: dates and timestamps since 1970 (UTC), times of day since midnight.  Division by a power of ten
 * rounds once; multiplication by its inverse would round twice. */
static const struct {
    const char *format;
    int is_prefix; /* a time zone follows */
    cp_arrow_type type;
} known[] = {
    {"n", 0, {CP_ARROW_NULL, COPSE_F64, 1, 1}},          {"b", 0, {CP_ARROW_BITS, COPSE_F64, 1, 1}},
    {"e", 0, {CP_ARROW_HALF, COPSE_F64, 1, 1}},          {"c", 0, {CP_ARROW_NUMBERS, COPSE_I8, 1, 1}},
    {"C", 0, {CP_ARROW_NUMBERS, COPSE_U8, 1, 1}},        {"s", 0, {CP_ARROW_NUMBERS, COPSE_I16, 1, 1}},
    {"S", 0, {CP_ARROW_NUMBERS, COPSE_U16, 1, 1}},       {"i", 0, {CP_ARROW_NUMBERS, COPSE_I32, 1, 1}},
    {"I", 0, {CP_ARROW_NUMBERS, COPSE_U32, 1, 1}},       {"l", 0, {CP_ARROW_NUMBERS, COPSE_I64, 1, 1}},
    {"L", 0, {CP_ARROW_NUMBERS, COPSE_U64, 1, 1}},       {"f", 0, {CP_ARROW_NUMBERS, COPSE_F32, 1, 1}},
    {"g", 0, {CP_ARROW_NUMBERS, COPSE_F64, 1, 1}},       {"u", 0, {CP_ARROW_TEXT, COPSE_F64, 1, 1}},
    {"U", 0, {CP_ARROW_LARGE_TEXT, COPSE_F64, 1, 1}},    {"vu", 0, {CP_ARROW_TEXT_VIEW, COPSE_F64, 1, 1}},
    {"tdD", 0, {CP_ARROW_NUMBERS, COPSE_I32, 86400, 1}}, {"tdm", 0, {CP_ARROW_NUMBERS, COPSE_I64, 1, 1e3}},
    {"tts", 0, {CP_ARROW_NUMBERS, COPSE_I32, 1, 1}},     {"ttm", 0, {CP_ARROW_NUMBERS, COPSE_I32, 1, 1e3}},
    {"ttu", 0, {CP_ARROW_NUMBERS, COPSE_I64, 1, 1e6}},   {"ttn", 0, {CP_ARROW_NUMBERS, COPSE_I64, 1, 1e9}},
    {"tss:", 1, {CP_ARROW_NUMBERS, COPSE_I64, 1, 1}},    {"tsm:", 1, {CP_ARROW_NUMBERS, COPSE_I64, 1, 1e3}},
    {"tsu:", 1, {CP_ARROW_NUMBERS, COPSE_I64, 1, 1e6}},  {"tsn:", 1, {CP_ARROW_NUMBERS, COPSE_I64, 1, 1e9}},
    {"tDs", 0, {CP_ARROW_NUMBERS, COPSE_I64, 1, 1}},     {"tDm", 0, {CP_ARROW_NUMBERS, COPSE_I64, 1, 1e3}},
    {"tDu", 0, {CP_ARROW_NUMBERS, COPSE_I64, 1, 1e6}},   {"tDn", 0, {CP_ARROW_NUMBERS, COPSE_I64, 1, 1e9}},
};

/* By the beginning of the format; a longer beginning comes before a shorter one. */
static const struct {
    const char *prefix, *name;
} refused[] = {
    {"z", "binary"},
    {"Z", "large_binary"},
    {"vz", "binary_view"},
    {"w:", "fixed_size_binary"},
    {"d:", "decimal"},
    {"ti", "interval"},
    {"+l", "list"},
    {"+L", "large_list"},
    {"+vl", "list_view"},
    {"+vL", "large_list_view"},
    {"+w:", "fixed_size_list"},
    {"+s", "struct"},
    {"+m", "map"},
    {"+ud:", "dense_union"},
    {"+us:", "sparse_union"},
    {"+r", "run_end_encoded"},
};

static int begins(const char *text, const char *prefix) {
    return !strncmp(text, prefix, strlen(prefix));
}

copse_status cp_arrow_type_read(const char *format, const char *column, cp_arrow_type *out, copse_error *err) {
    const char *name = NULL;
    if (!format) return cp_fail(err, COPSE_E_USAGE, "column '%.200s' of the Arrow stream has no format", column);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].is_prefix ? !begins(format, known[i].format) : strcmp(format, known[i].format) != 0) continue;
        *out = known[i].type;
        return COPSE_OK;
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused && !name; i++)
        if (begins(format, refused[i].prefix)) name = refused[i].name;
    return cp_fail(
        err, COPSE_E_DATA,
        "column '%.200s' has the Arrow type %s%.40s%s: numbers, booleans, text, dates, times and dictionaries "
        "of these are taken. Convert the column, or leave it out",
        column, name ? name : "'", name ? "" : format, name ? "" : "'");
}
