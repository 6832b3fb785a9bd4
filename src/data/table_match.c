#include "data/table_match.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggest.h"

/* Bounds the time that a suggestion takes in a table of a million columns. */
enum { MAX_COMPARED = 20000, MAX_LISTED = 8 };

/* "Did you mean 'age'?", or the first few names. */
static void suggest(const copse_table *t, const char *name, const cp_table_match_known *opt_known, char *buf,
                    size_t n) {
    cp_suggest similar = {.word = name};
    for (size_t j = 0; j < t->cols && j < MAX_COMPARED; j++) {
        cp_suggest with = similar;
        cp_suggest_try(&with, t->col[j].name);
        if (with.best == similar.best || (opt_known && opt_known->is_known(opt_known->arg, with.best))) continue;
        similar = with;
    }
    if (similar.best) {
        snprintf(buf, n, "Did you mean '%.80s'?", similar.best);
        return;
    }
    if (t->cols == 1 && strpbrk(t->col[0].name, ",;|\t ")) {
        snprintf(buf, n, "Its only column is '%.80s': name the character between its fields (`delimiter`)",
                 t->col[0].name);
        return;
    }
    size_t used = (size_t)snprintf(buf, n, "Its columns are ");
    for (size_t j = 0; j < t->cols && j < MAX_LISTED && used < n; j++)
        used += (size_t)snprintf(buf + used, n - used, "%s%.40s", j ? ", " : "", t->col[j].name);
    if (used < n) snprintf(buf + used, n - used, t->cols > MAX_LISTED ? " and %zu more." : ".", t->cols - MAX_LISTED);
}

copse_status cp_table_match_fail(const copse_table *t, const char *name, const cp_table_match_known *opt_known,
                                 copse_status code, copse_error *err) {
    char hint[600];
    suggest(t, name, opt_known, hint, sizeof hint);
    return cp_fail(err, code, "there is no column '%.80s' in %s. %s", name, t->source ? t->source : "the table", hint);
}

copse_status cp_table_match_name(const copse_table *t, const char *name, copse_status code, size_t *out,
                                 copse_error *err) {
    *out = cp_table_find(t, name);
    return *out == (size_t)-1 ? cp_table_match_fail(t, name, NULL, code, err) : COPSE_OK;
}

/* Does `name` match `pattern`, where * stands for any bytes?  Only the last star is retried with more bytes: whatever
 * an earlier star could take in addition, the last one can take too. */
static int matches(const char *pattern, const char *name) {
    const char *star = NULL, *retry = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            retry = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++retry;
        } else {
            return 0;
        }
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}

static copse_status hit_wildcard(const copse_table *t, const char *word, unsigned char *hit, copse_error *err) {
    size_t hits = 0;
    for (size_t j = 0; j < t->cols; j++) {
        if (!matches(word, t->col[j].name)) continue;
        hit[j] = 1;
        hits++;
    }
    return hits ? COPSE_OK : cp_table_match_fail(t, word, NULL, COPSE_E_USAGE, err);
}

/* A..B in the table's order, in either direction.  `dots` points at the two dots, where `word` is cut in two. */
static copse_status hit_range(const copse_table *t, char *word, char *dots, unsigned char *hit, copse_error *err) {
    size_t a, b;
    *dots = '\0';
    CP_TRY(cp_table_match_name(t, word, COPSE_E_USAGE, &a, err));
    CP_TRY(cp_table_match_name(t, dots + 2, COPSE_E_USAGE, &b, err));
    if (a > b) {
        size_t swap = a;
        a = b;
        b = swap;
    }
    memset(hit + a, 1, b - a + 1);
    return COPSE_OK;
}

/* A word that is the name of a column is that column, even if it could be a range or a pattern. */
static copse_status hit_word(const copse_table *t, char *word, unsigned char *hit, copse_error *err) {
    size_t j = cp_table_find(t, word);
    char *dots = strstr(word, "..");
    if (j != (size_t)-1) {
        hit[j] = 1;
        return COPSE_OK;
    }
    if (dots && dots > word && dots[2]) return hit_range(t, word, dots, hit, err);
    if (strchr(word, '*')) return hit_wildcard(t, word, hit, err);
    return cp_table_match_fail(t, word, NULL, COPSE_E_USAGE, err);
}

static char *trim(char *word) {
    while (*word == ' ') word++;
    size_t n = strlen(word);
    while (n && word[n - 1] == ' ') word[--n] = '\0';
    return word;
}

copse_status cp_table_match(const copse_table *t, const char *list, unsigned char *out_hit, copse_error *err) {
    memset(out_hit, 0, t->cols);
    size_t whole = cp_table_find(t, list); /* a name with a comma in it */
    if (whole != (size_t)-1) {
        out_hit[whole] = 1;
        return COPSE_OK;
    }
    char *words = cp_mem_strdup(list), *rest = words;
    if (!words) return cp_fail_memory(err);
    copse_status status = COPSE_OK;
    while (rest && !status) {
        char *comma = strchr(rest, ','), *word;
        if (comma) *comma = '\0';
        word = trim(rest);
        if (*word) status = hit_word(t, word, out_hit, err);
        rest = comma ? comma + 1 : NULL;
    }
    cp_mem_free(words);
    return status;
}
