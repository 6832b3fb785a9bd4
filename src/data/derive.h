/* derive - numbers in text: amounts such as "$1,207.95" and "12 %", and dates and times.
 *
 * A column of text becomes numbers only if every one of its values is written in one form.  The form is found once, in
 * training, and values are read in that form ever after. */
#ifndef CP_DERIVE_H
#define CP_DERIVE_H

#include "data/dict.h"

/* What a derived feature is. */
typedef enum cp_derive_part {
    CP_DERIVE_NONE,    /* not derived: the column as it is */
    CP_DERIVE_AMOUNT,  /* the number without its unit */
    CP_DERIVE_TIME,    /* days since 1970-01-01 in UTC */
    CP_DERIVE_HOUR,    /* 0 to 24, as written */
    CP_DERIVE_WEEKDAY, /* 1 Monday to 7 Sunday */
    CP_DERIVE_MONTH,   /* 1 to 12 */
    CP_DERIVE_YEARDAY, /* 1 to 366 */
    CP_DERIVE_PARTS
} cp_derive_part;

typedef enum cp_derive_form {
    CP_DERIVE_NO_FORM,
    CP_DERIVE_POINT,       /* 1,207.95 */
    CP_DERIVE_COMMA,       /* 1.207,95 */
    CP_DERIVE_YEAR_FIRST,  /* 2024-01-31, and a time of day behind it */
    CP_DERIVE_MONTH_FIRST, /* 01/31/2024 */
    CP_DERIVE_DAY_FIRST,   /* 31.01.2024 */
    CP_DERIVE_MONTH_NAMED, /* 31 Jan 2024; Jan 31, 2024 */
    CP_DERIVE_CLOCK,       /* 12:34:56 */
    CP_DERIVE_FORMS
} cp_derive_form;

static inline int cp_derive_is_time(cp_derive_form form) {
    return form >= CP_DERIVE_YEAR_FIRST;
}

/* The form of all levels, or NO_FORM.  *out_ambiguous: day and month could be the other way round as well. */
cp_derive_form cp_derive_find(const cp_dict *levels, int *out_ambiguous);

/* A part of a value; 0 if the text is not of that form. */
int cp_derive_value(cp_derive_form form, cp_derive_part part, const char *text, double *out);

/* ".time", ".hour" ...: what a feature's name has behind that of its column; "" for amounts. */
const char *cp_derive_suffix(cp_derive_part part);

/* How the form is described to people: "dates, year first". */
const char *cp_derive_words(cp_derive_form form);

#endif
