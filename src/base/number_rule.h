/* number_rule - which numbers a section of a file may hold: the rule of docs/format.md, "Numbers".
 *
 * A module that reads sections of real numbers lists a rule for each and hands the list to its reader
 * (cp_reader_rules); the reader applies it to every number before anyone computes with it.  Whole numbers have one rule
 * for all sections: i32 are at least -1, i64 are 0 to 2^53.  Ranges are wide: they hold what any data can lead to, and
 * keep products and squares of several numbers finite. */
#ifndef CP_NUMBER_RULE_H
#define CP_NUMBER_RULE_H

#include <stddef.h>

#include "base/codec.h"

typedef enum cp_number_also {
    CP_ALSO_NOTHING = 0,
    CP_ALSO_ZERO = 1,
    CP_ALSO_NAN = 2,
    CP_ALSO_INFINITY = 4
} cp_number_also;

typedef struct cp_number_rule {
    const char *name; /* of the section, from where the list was given on; '#' stands for digits: "tree.#.time" */
    double least, most;
    cp_number_also also; /* bits: allowed besides the range */
    size_t every, at;    /* the rule is for element `at` of each `every`; every 0: for all */
} cp_number_rule;

/* Of targets and of what is derived from them, in units of the targets; CP_SCHEMA_TARGET_MAX bounds targets. */
#define CP_NUMBER_TARGET   2e60
#define CP_NUMBER_VARIANCE 1e130
/* The least scale of standardised targets. */
#define CP_NUMBER_LEAST_SCALE 1e-80
#define CP_NUMBER_MOST_SCALE  1e61
/* Of logarithms of likelihoods: their squares are still finite. */
#define CP_NUMBER_LOG 1e140
/* Of counts: whole numbers that a double can hold. */
#define CP_NUMBER_COUNT 0x1p53
/* Of encoded features and cuts: CP_SCHEMA_LIMIT. */
#define CP_NUMBER_FEATURE 1e37

/* Gives a reader an array of rules. */
#define CP_NUMBER_RULES(reader, list) cp_reader_rules(reader, list, sizeof(list) / sizeof *(list))

int cp_number_rule_matches(const cp_number_rule *rule, const char *name);
/* The index of the first of n elements that the rule forbids; n if there is none. */
size_t cp_number_rule_find(const cp_number_rule *rule, cp_codec_type type, const void *data, size_t n);
/* The same for the rule of whole numbers. */
size_t cp_number_rule_find_whole(cp_codec_type type, const void *data, size_t n);

#endif
