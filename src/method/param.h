/* param - the options of a method: a table declares them once, and this module parses, checks, prints and saves
 * them. */
#ifndef CP_PARAM_H
#define CP_PARAM_H

#include "base/codec.h"

typedef enum cp_param_type {
    CP_PARAM_INT,
    CP_PARAM_REAL,
    CP_PARAM_CHOICE,
    CP_PARAM_LIST,
    CP_PARAM_FLAG /* "yes" or "no"; on the command line the name alone means yes */
} cp_param_type;

typedef struct cp_param {
    const char *name;
    cp_param_type type;
    const char *initial; /* as text; "auto" is allowed where auto_ok */
    double min, max;     /* int, real: inclusive */
    /* Words separated by blanks.
     * choice: the word is one of them.  A word "grid:100" stands for grid:1, grid:2 ...; min and max bound the number,
     * and "grid" alone means grid:100.
     * list: any of them, with commas between them, or "none".
     * int, real: words that are allowed besides numbers, or NULL. */
    const char *choices;
    unsigned tasks; /* the copse_tasks it is for; 0: all of the method's */
    int auto_ok;    /* int, real: "auto" is allowed, and lets the method decide.  The value of any word is NaN */
    /* Where to search for a better value than the default; both 0: not worth a search.  A choice: any of its words. */
    double tune_low, tune_high;
    int tune_log, tune_words;
    const char *help;
} cp_param;

/* Values are doubles, which represent all whole numbers up to 2^53. */
#define CP_PARAM_MOST_INT 9007199254740992.0

/* Rows of an option table.  _AUTO: the default is "auto". */
#define CP_OPTION_INT(NAME, INITIAL, MIN, MAX, HELP) \
    { .name = NAME, .type = CP_PARAM_INT, .initial = INITIAL, .min = MIN, .max = MAX, .help = HELP }
#define CP_OPTION_INT_AUTO(NAME, MIN, MAX, HELP) \
    { .name = NAME, .type = CP_PARAM_INT, .initial = "auto", .min = MIN, .max = MAX, .auto_ok = 1, .help = HELP }
#define CP_OPTION_REAL(NAME, INITIAL, MIN, MAX, HELP) \
    { .name = NAME, .type = CP_PARAM_REAL, .initial = INITIAL, .min = MIN, .max = MAX, .help = HELP }
#define CP_OPTION_REAL_AUTO(NAME, MIN, MAX, HELP) \
    { .name = NAME, .type = CP_PARAM_REAL, .initial = "auto", .min = MIN, .max = MAX, .auto_ok = 1, .help = HELP }
#define CP_OPTION_CHOICE(NAME, INITIAL, CHOICES, HELP) \
    { .name = NAME, .type = CP_PARAM_CHOICE, .initial = INITIAL, .choices = CHOICES, .help = HELP }
/* A choice where some words take a number after a colon, between MIN and MAX. */
#define CP_OPTION_COUNTED(NAME, INITIAL, CHOICES, MIN, MAX, HELP)                                              \
    {                                                                                                          \
        .name = NAME, .type = CP_PARAM_CHOICE, .initial = INITIAL, .choices = CHOICES, .min = MIN, .max = MAX, \
        .help = HELP                                                                                           \
    }
#define CP_OPTION_LIST(NAME, WORDS, HELP) \
    { .name = NAME, .type = CP_PARAM_LIST, .initial = "none", .choices = WORDS, .help = HELP }
#define CP_OPTION_FLAG(NAME, HELP) \
    { .name = NAME, .type = CP_PARAM_FLAG, .initial = "no", .help = HELP }
#define CP_OPTION_TREES(HELP) CP_OPTION_INT("trees", "100", 1, 100000, HELP)
#define CP_OPTION_SEED \
    CP_OPTION_INT("seed", "1", 0, CP_PARAM_MOST_INT, "same seed, same model, on any number of threads")

/* The help of an option that is for one task only: CP_OPTION_REAL("alpha", ".1", 0, 1, CP_OPTION_OF_CLASSES("weight")).
 * It sets the member `tasks` as well. */
#define CP_OPTION_OF_CLASSES(HELP) "classes: " HELP, .tasks = COPSE_CLASS
#define CP_OPTION_OF_NUMBERS(HELP) "numbers: " HELP, .tasks = COPSE_REGRESS

/* The help of an option that is worth a search between LOW and HIGH: CP_OPTION_TUNED(1, 64, HELP); on a logarithmic
 * scale: CP_OPTION_TUNED_LOG(1, 64, HELP).  A choice: CP_OPTION_TUNED_WORDS(HELP). */
#define CP_OPTION_TUNED(LOW, HIGH, HELP)     HELP, .tune_low = LOW, .tune_high = HIGH
#define CP_OPTION_TUNED_LOG(LOW, HIGH, HELP) HELP, .tune_low = LOW, .tune_high = HIGH, .tune_log = 1
#define CP_OPTION_TUNED_WORDS(HELP)          HELP, .tune_words = 1

struct cp_method;

struct copse_params {
    const struct cp_method *method;
    /* One per declared option.  int, real: the number, NaN for a word; choice: the index of the word; list: a bit for
     * each word; flag: 1 for yes. */
    double *value;
    char **text; /* as set, for printing */
};

copse_status cp_param_new(const struct cp_method *method, copse_params **out, copse_error *err);
copse_status cp_param_copy(const copse_params *from, copse_params **out, copse_error *err);
copse_status cp_param_set(copse_params *p, const char *name, const char *value, copse_error *err);
void cp_param_free(copse_params *p);

/* For methods: the option must exist, else the process ends with CP_BUG. */
double cp_param_real(const copse_params *p, const char *name); /* NaN: auto */
int64_t cp_param_int(const copse_params *p, const char *name);
int cp_param_is(const copse_params *p, const char *name, const char *choice);
int cp_param_has(const copse_params *p, const char *name, const char *word); /* list */
int cp_param_is_given(const copse_params *p, const char *name);              /* it differs from its default */
const char *cp_param_text(const copse_params *p, const char *name);          /* NULL if there is no such option */

/* Prints what the option takes: "1 to 100000", "exact fast". */
void cp_param_range(const cp_param *d, char *buf, size_t n);

/* Option i of the method as users see it. */
void cp_param_info(const struct cp_method *m, size_t i, copse_option_info *out);

copse_status cp_param_write(const copse_params *p, cp_writer *w, copse_error *err);
copse_status cp_param_read(cp_reader *r, const struct cp_method *method, copse_params **out, copse_error *err);

#endif
