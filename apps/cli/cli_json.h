/* cli_json - a streaming JSON writer.  Members are written in the order of the calls; numbers read back exactly. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdio.h>

typedef struct cli_json {
    FILE *file;
    int comma; /* the next member needs a comma before it */
} cli_json;

/* key is NULL inside arrays and at the top level. */
void cli_json_object(cli_json *j, const char *key);
void cli_json_end_object(cli_json *j);
void cli_json_array(cli_json *j, const char *key);
void cli_json_end_array(cli_json *j);
void cli_json_text(cli_json *j, const char *key, const char *value); /* NULL is null */
void cli_json_number(cli_json *j, const char *key, double value);    /* NaN is null, infinities are "inf", "-inf" */
void cli_json_size(cli_json *j, const char *key, size_t value);
void cli_json_bool(cli_json *j, const char *key, int value);
/* Ends the line after a value at the top level. */
void cli_json_line(cli_json *j);

#endif
