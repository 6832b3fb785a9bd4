/* arrow_type - which Arrow types a table takes, and the names of those that it does not take. */
#ifndef CP_ARROW_TYPE_H
#define CP_ARROW_TYPE_H

#include "base/fail.h"

typedef enum cp_arrow_kind {
    CP_ARROW_NULL,       /* no values at all */
    CP_ARROW_BITS,       /* booleans, one bit each */
    CP_ARROW_HALF,       /* floats of 16 bits */
    CP_ARROW_NUMBERS,    /* what copse_values knows */
    CP_ARROW_TEXT,       /* offsets of 32 bits */
    CP_ARROW_LARGE_TEXT, /* offsets of 64 bits */
    CP_ARROW_TEXT_VIEW
} cp_arrow_kind;

typedef struct cp_arrow_type {
    cp_arrow_kind kind;
    copse_type numbers;    /* of CP_ARROW_NUMBERS */
    double times, divided; /* of CP_ARROW_NUMBERS: the number is the value times `times`, divided by `divided` */
} cp_arrow_type;

static inline int cp_arrow_type_is_text(const cp_arrow_type *t) {
    return t->kind >= CP_ARROW_TEXT;
}

/* The type of a format string; COPSE_E_DATA with the name of the type and of the column if it is not supported. */
copse_status cp_arrow_type_read(const char *format, const char *column, cp_arrow_type *out, copse_error *err);

#endif
