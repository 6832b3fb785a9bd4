#include "cli_json.h"

#include <math.h>

#include "cli.h"

static void quote(FILE *f, const char *text) {
    fputc('"', f);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < 0x20)
            fprintf(f, "\\u%04x", c);
        else
            fputc(c, f);
    }
    fputc('"', f);
}

static void begin(cli_json *j, const char *key) {
    if (j->comma) fputs(", ", j->file);
    j->comma = 1;
    if (!key) return;
    quote(j->file, key);
    fputs(": ", j->file);
}

static void open_with(cli_json *j, const char *key, char bracket) {
    begin(j, key);
    fputc(bracket, j->file);
    j->comma = 0;
}

static void close_with(cli_json *j, char bracket) {
    fputc(bracket, j->file);
    j->comma = 1;
}

void cli_json_object(cli_json *j, const char *key) {
    open_with(j, key, '{');
}

void cli_json_end_object(cli_json *j) {
    close_with(j, '}');
}

void cli_json_array(cli_json *j, const char *key) {
    open_with(j, key, '[');
}

void cli_json_end_array(cli_json *j) {
    close_with(j, ']');
}

void cli_json_text(cli_json *j, const char *key, const char *value) {
    begin(j, key);
    if (value)
        quote(j->file, value);
    else
        fputs("null", j->file);
}

void cli_json_number(cli_json *j, const char *key, double value) {
    char buf[CLI_NUMBER_SIZE];
    begin(j, key);
    if (isnan(value))
        fputs("null", j->file);
    else if (isinf(value))
        fputs(value > 0 ? "\"inf\"" : "\"-inf\"", j->file);
    else
        fputs(cli_number(value, buf), j->file);
}

void cli_json_size(cli_json *j, const char *key, size_t value) {
    begin(j, key);
    fprintf(j->file, "%zu", value);
}

void cli_json_bool(cli_json *j, const char *key, int value) {
    begin(j, key);
    fputs(value ? "true" : "false", j->file);
}

void cli_json_line(cli_json *j) {
    fputc('\n', j->file);
    j->comma = 0;
}
