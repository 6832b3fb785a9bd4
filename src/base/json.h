/* json - a writer of valid JSON: it sets commas and quotes, and numbers read back as the same double in any locale.
 * Bytes that are not UTF-8 become U+FFFD. */
#ifndef CP_JSON_H
#define CP_JSON_H

#include "base/fail.h"

/* Text is collected in `buf`, which goes to `write` when it is full and at cp_json_end.  After the first failure
 * nothing more is written. */
typedef struct cp_json {
    copse_write_fn write;
    void *arg;
    copse_status status;
    int depth, need_comma;
    size_t used;
    char buf[4096];
} cp_json;

void cp_json_begin(cp_json *j, copse_write_fn write, void *arg);
copse_status cp_json_end(cp_json *j, copse_error *err); /* flushes */
void cp_json_object(cp_json *j, const char *opt_key);   /* { ; opt_key NULL at the top and inside arrays */
void cp_json_array(cp_json *j, const char *opt_key);    /* [ */
void cp_json_close_object(cp_json *j);
void cp_json_close_array(cp_json *j);
void cp_json_text(cp_json *j, const char *opt_key, const char *value); /* NULL is null */
/* The shortest text that reads back; inf is "inf", NaN is null. */
void cp_json_number(cp_json *j, const char *opt_key, double value);
void cp_json_integer(cp_json *j, const char *opt_key, int64_t value);
void cp_json_bool(cp_json *j, const char *opt_key, int value);
void cp_json_newline(cp_json *j); /* between objects of a line-based listing, at depth 0 */

enum { CP_JSON_NUMBER = 32 };
/* A number as text that reads back as the same double, with few digits; "inf", "-inf" and "nan" without quotes. */
void cp_json_format(double value, char buf[CP_JSON_NUMBER]);
/* Replaces the decimal point of the caller's locale by '.' in a number that printf wrote. */
void cp_json_plain_point(char *number);

#endif
