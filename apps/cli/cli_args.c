#include "cli_args.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ------------------------------------------------------------------------------------------------- suggestions */

enum { LONGEST = 40 };

/* Edit distance (optimal string alignment): insertions, deletions, replacements and swaps of neighbours.  Keeps three
 * rows of the dynamic programming table. */
static size_t edit_distance(const char *a, const char *b) {
    size_t row[3][LONGEST + 1], na = strlen(a), nb = strlen(b);
    for (size_t j = 0; j <= nb; j++) row[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *now = row[i % 3], *above = row[(i + 2) % 3], *swapped = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            now[j] = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < now[j]) now[j] = above[j] + 1;
            if (now[j - 1] + 1 < now[j]) now[j] = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && swapped[j - 2] + 1 < now[j])
                now[j] = swapped[j - 2] + 1;
        }
    }
    return row[na % 3][nb];
}

void cli_suggest_try(cli_suggest *g, const char *name) {
    size_t n = strlen(g->word);
    if (n == 0 || n > LONGEST || strlen(name) > LONGEST) return;
    size_t d = n >= 2 && strncmp(g->word, name, n) == 0 ? 1 : edit_distance(g->word, name);
    if (d > (n + 1) / 3 || (g->best && d >= g->distance)) return;
    g->best = name;
    g->distance = d;
}

/* ----------------------------------------------------------------------------------------------------- parsing */

static const cli_option *find_name(const cli_group *groups, const char *name, size_t n) {
    for (; groups->title; groups++)
        for (const cli_option *o = groups->options; o->name; o++)
            if (strncmp(o->name, name, n) == 0 && o->name[n] == '\0') return o;
    return NULL;
}

static const cli_option *find_letter(const cli_group *groups, char letter) {
    for (; groups->title; groups++)
        for (const cli_option *o = groups->options; o->name; o++)
            if (o->letter == letter) return o;
    return NULL;
}

/* The option of that name in any method; 0 if none has it. */
static int find_method_option(const char *name, size_t n, copse_option_info *out) {
    const copse_method_info *m;
    for (size_t i = 0; (m = copse_method(i)) != NULL; i++)
        for (size_t k = 0; copse_method_option(m->name, k, out); k++)
            if (strncmp(out->name, name, n) == 0 && out->name[n] == '\0') return 1;
    return 0;
}

int cli_args_knows(const cli_command *command, const char *name, size_t n) {
    copse_option_info info;
    return find_name(command->groups, name, n) || (command->method_options && find_method_option(name, n, &info));
}

static copse_status unknown_option(const cli_command *command, const char *typed, size_t n, copse_error *err) {
    char word[LONGEST + 2] = "";
    if (n <= LONGEST) memcpy(word, typed, n);
    cli_suggest near = {.word = word};
    for (const cli_group *g = command->groups; g->title; g++)
        for (const cli_option *o = g->options; o->name; o++) cli_suggest_try(&near, o->name);
    copse_option_info info;
    const copse_method_info *m;
    for (size_t i = 0; command->method_options && (m = copse_method(i)) != NULL; i++)
        for (size_t k = 0; copse_method_option(m->name, k, &info); k++) cli_suggest_try(&near, info.name);
    if (near.best)
        return cli_fail(err, COPSE_E_USAGE, "unknown option --%.*s; did you mean --%s?", (int)n, typed, near.best);
    return cli_fail(err, COPSE_E_USAGE, "unknown option --%.*s; 'copse help %s' lists the options", (int)n, typed,
                    command->name);
}

static copse_status add_option(cli_pair *list, size_t *n, const char *name, const char *value, copse_error *err) {
    for (size_t i = 0; i < *n; i++)
        if (strcmp(list[i].name, name) == 0) return cli_fail(err, COPSE_E_USAGE, "--%s is given twice", name);
    list[(*n)++] = (cli_pair){name, value};
    return COPSE_OK;
}

/* The words still to come. */
typedef struct cursor {
    char *const *next;
    size_t left;
} cursor;

static const char *take(cursor *c) {
    if (c->left == 0) return NULL;
    c->left--;
    return *c->next++;
}

/* The value of a method's option.  A flag may be followed by yes or no, and alone means yes; other options need a
 * value. */
static const char *method_value(const copse_option_info *info, cursor *rest) {
    int flag = info->kind == COPSE_OPTION_FLAG;
    if (!flag || (rest->left && (!strcmp(*rest->next, "yes") || !strcmp(*rest->next, "no")))) return take(rest);
    return "yes";
}

/* --name, --name=value, --name value */
static copse_status parse_long(cli_args *a, const cli_command *command, const char *word, cursor *rest,
                               copse_error *err) {
    size_t n = strcspn(word, "=");
    const char *attached = word[n] == '=' ? word + n + 1 : NULL;
    copse_option_info info = {0};
    if (n == 4 && strncmp(word, "help", 4) == 0) {
        a->help = 1;
        return COPSE_OK;
    }
    const cli_option *o = find_name(command->groups, word, n);
    if (!o && !(command->method_options && find_method_option(word, n, &info)))
        return unknown_option(command, word, n, err);
    const char *name = o ? o->name : info.name;
    if (o && !o->value) {
        if (attached) return cli_fail(err, COPSE_E_USAGE, "--%s takes no value", name);
        return add_option(a->option, &a->options, name, "", err);
    }
    const char *next = rest->left ? *rest->next : NULL, *value = attached ? attached
                                                                 : o      ? take(rest)
                                                                          : method_value(&info, rest);
    if (!attached && !o && value != next && !a->bare_flag) {
        a->bare_flag = name;
        a->after = next;
    }
    if (!value) return cli_fail(err, COPSE_E_USAGE, "--%s needs a value%s%s", name, o ? ": " : "", o ? o->value : "");
    if (o) return add_option(a->option, &a->options, name, value, err);
    return add_option(a->method_option, &a->method_options, name, value, err);
}

/* -t y, -ty; flags may be combined, as in -qh. */
static copse_status parse_short(cli_args *a, const cli_command *command, const char *letters, cursor *rest,
                                copse_error *err) {
    for (; *letters; letters++) {
        const cli_option *o = find_letter(command->groups, *letters);
        if (!o && *letters == 'h') {
            a->help = 1;
            continue;
        }
        if (!o)
            return cli_fail(err, COPSE_E_USAGE, "unknown option -%c; 'copse help %s' lists the options", *letters,
                            command->name);
        if (!o->value) {
            CLI_TRY(add_option(a->option, &a->options, o->name, "", err));
            continue;
        }
        const char *value = letters[1] ? letters + 1 : take(rest);
        if (!value) return cli_fail(err, COPSE_E_USAGE, "-%c needs a value: %s", *letters, o->value);
        return add_option(a->option, &a->options, o->name, value, err);
    }
    return COPSE_OK;
}

static copse_status check_operands(const cli_args *a, const cli_command *command, copse_error *err) {
    if (a->help) return COPSE_OK;
    if (a->operands < command->min_operands)
        return cli_fail(err, COPSE_E_USAGE, "an argument is missing; usage: copse %s %s", command->name,
                        command->operands);
    if (a->operands > command->max_operands && a->after && a->operand[command->max_operands] == a->after)
        return cli_fail(err, COPSE_E_USAGE, "--%s: '%.40s' is not yes or no; --%s alone means yes", a->bare_flag,
                        a->after, a->bare_flag);
    if (a->operands > command->max_operands)
        return cli_fail(err, COPSE_E_USAGE, "unexpected argument '%.100s'; usage: copse %s%s%s",
                        a->operand[command->max_operands], command->name, *command->operands ? " " : "",
                        command->operands);
    return COPSE_OK;
}

/* -3.5 is a number, not a group of options. */
static int is_negative(const char *w) {
    w += w[0] == '-';
    w += w[0] == '.';
    return w[0] >= '0' && w[0] <= '9';
}

copse_status cli_args_parse(cli_args *a, const cli_command *command, char *const *argv, size_t n, copse_error *err) {
    *a = (cli_args){.groups = command->groups};
    a->operand = calloc(n + 1, sizeof *a->operand);
    a->option = calloc(n + 1, sizeof *a->option);
    a->method_option = calloc(n + 1, sizeof *a->method_option);
    if (!a->operand || !a->option || !a->method_option) return cli_fail_memory(err);
    cursor rest = {argv, n};
    int ended = 0;
    for (const char *w; (w = take(&rest)) != NULL;) {
        if (ended || w[0] != '-' || w[1] == '\0' || is_negative(w))
            a->operand[a->operands++] = w;
        else if (strcmp(w, "--") == 0)
            ended = 1;
        else if (w[1] == '-')
            CLI_TRY(parse_long(a, command, w + 2, &rest, err));
        else
            CLI_TRY(parse_short(a, command, w + 1, &rest, err));
    }
    return check_operands(a, command, err);
}

void cli_args_clear(cli_args *a) {
    free(a->operand);
    free(a->option);
    free(a->method_option);
    *a = (cli_args){0};
}

/* ------------------------------------------------------------------------------------------------------ values */

const char *cli_args_operand(const cli_args *a, size_t i) {
    return i < a->operands ? a->operand[i] : NULL;
}

const char *cli_args_text(const cli_args *a, const char *name) {
    assert(find_name(a->groups, name, strlen(name)));
    for (size_t i = 0; i < a->options; i++)
        if (strcmp(a->option[i].name, name) == 0) return a->option[i].value;
    return NULL;
}

int cli_args_has(const cli_args *a, const char *name) {
    return cli_args_text(a, name) != NULL;
}

static copse_status parse_number(const char *name, const char *text, double min, double max, double *out,
                                 copse_error *err) {
    char *end = NULL;
    double x = strtod(text, &end);
    if (end == text || *end || isnan(x))
        return cli_fail(err, COPSE_E_USAGE, "--%s: '%.40s' is not a number", name, text);
    char low[CLI_NUMBER_SIZE], high[CLI_NUMBER_SIZE];
    if (x < min || x > max)
        return cli_fail(err, COPSE_E_USAGE, "--%s: %.40s is out of range (%s to %s)", name, text, cli_number(min, low),
                        cli_number(max, high));
    *out = x;
    return COPSE_OK;
}

copse_status cli_args_number(const cli_args *a, const char *name, double min, double max, double *out,
                             copse_error *err) {
    const char *text = cli_args_text(a, name);
    return text ? parse_number(name, text, min, max, out, err) : COPSE_OK;
}

/* A percent sign divides by a hundred: 20% is .2. */
copse_status cli_args_share(const cli_args *a, const char *name, double min, double max, double *out,
                            copse_error *err) {
    const char *text = cli_args_text(a, name);
    char number[CLI_NUMBER_SIZE];
    size_t n = text ? strlen(text) : 0;
    if (n < 2 || n >= sizeof number || text[n - 1] != '%') {
        double x = text ? strtod(text, NULL) : 0;
        if (x >= 2 && x < 100) return cli_fail(err, COPSE_E_USAGE, "--%s: write %.40s%% or %g", name, text, x / 100);
        return cli_args_number(a, name, min, max, out, err);
    }
    snprintf(number, sizeof number, "%.*s", (int)n - 1, text);
    CLI_TRY(parse_number(name, number, 100 * min, 100 * max, out, err));
    *out /= 100;
    return COPSE_OK;
}

copse_status cli_args_integer(const cli_args *a, const char *name, double min, double max, uint64_t *out,
                              copse_error *err) {
    double x = 0;
    if (!cli_args_has(a, name)) return COPSE_OK;
    CLI_TRY(cli_args_number(a, name, min, max, &x, err));
    if (floor(x) != x)
        return cli_fail(err, COPSE_E_USAGE, "--%s: '%.40s' is not a whole number", name, cli_args_text(a, name));
    *out = (uint64_t)x;
    return COPSE_OK;
}

copse_status cli_args_bytes(const cli_args *a, const char *name, size_t *out, copse_error *err) {
    static const char units[] = "kmgt";
    const char *text = cli_args_text(a, name);
    char *end = NULL;
    if (!text) return COPSE_OK;
    double x = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end | 32) : NULL;
    if (end != text && unit && !end[1]) x = ldexp(x, 10 * (int)(unit - units + 1));
    if (end == text || (*end && (!unit || end[1])) || !(x >= 1 && x < ldexp(1, 60)))
        return cli_fail(err, COPSE_E_USAGE,
                        "--%s: '%.40s' is not a size: give bytes, or a number with K, M, G or T, e.g. 500M", name,
                        text);
    *out = (size_t)x;
    return COPSE_OK;
}

copse_status cli_args_shares(const cli_args *a, const char *name, double *out, size_t max, size_t *out_n,
                             copse_error *err) {
    const char *text = cli_args_text(a, name);
    *out_n = 0;
    for (const char *next = text; next; next = *next ? next + 1 : NULL) {
        char one[CLI_NUMBER_SIZE] = "";
        size_t n = strcspn(next, ",");
        if (n < sizeof one) memcpy(one, next, n);
        if (*out_n == max) return cli_fail(err, COPSE_E_USAGE, "--%s: more than %zu numbers", name, max);
        double x = 0;
        CLI_TRY(parse_number(name, one, 0, 1, &x, err));
        if (x <= 0 || x >= 1)
            return cli_fail(err, COPSE_E_USAGE, "--%s: %s is out of range (between 0 and 1)", name, one);
        out[(*out_n)++] = x;
        next += n;
    }
    return COPSE_OK;
}
