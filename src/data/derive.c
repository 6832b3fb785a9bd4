#include "data/derive.h"

#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------------- characters */

static int is_digit(char c) {
    return c >= '0' && c <= '9';
}

static int is_letter(char c) {
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static const char *skip_blanks(const char *p) {
    while (*p == ' ') p++;
    return p;
}

/* Reads `least` to `most` digits; NULL if there are fewer or more. */
static const char *read_digits(const char *p, int least, int most, int *out) {
    int n = 0;
    *out = 0;
    for (; is_digit(p[n]); n++) {
        if (n == most) return NULL;
        *out = 10 * *out + (p[n] - '0');
    }
    return n >= least ? p + n : NULL;
}

/* -------------------------------------------------------------------------------------------------------- amounts */

/* The unit of an amount: a piece of its text. */
typedef struct unit {
    const char *at;
    size_t n;
} unit;

/* A currency sign, a code of three capitals, or a percent sign; n is 0 if there is none. */
static unit read_unit(const char *p) {
    static const char *const signs[] = {"$", "%", "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5"}; /* euro, pound, yen */
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t n = strlen(signs[i]);
        if (strncmp(p, signs[i], n) == 0) return (unit){p, n};
    }
    size_t n = 0;
    while (p[n] >= 'A' && p[n] <= 'Z') n++;
    return (unit){p, n == 3 ? n : 0};
}

static int same_unit(unit a, unit b) {
    return a.n == b.n && memcmp(a.at, b.at, a.n) == 0;
}

/* The digits of an amount: groups of three between separators, or no groups; and decimals. */
typedef struct amount {
    double value, decimals; /* decimals: 10^(number of them) */
    int digits, groups;
} amount;

static int is_separator(cp_derive_form form, char c) {
    return c == (form == CP_DERIVE_POINT ? ',' : '.') || c == ' ' || c == '\'' || c == '_';
}

/* Reads ",207" of a group; NULL if there are not exactly three digits. */
static const char *read_group(cp_derive_form form, const char *p, char *separator, amount *a) {
    int x;
    if (!is_separator(form, *p) || !is_digit(p[1]) || (*separator && *p != *separator)) return NULL;
    const char *end = read_digits(p + 1, 3, 3, &x);
    if (!end) return NULL;
    *separator = *p;
    a->value = 1000 * a->value + x;
    a->digits += 3;
    a->groups++;
    return end;
}

static const char *read_amount(cp_derive_form form, const char *p, amount *out) {
    char separator = '\0';
    *out = (amount){.decimals = 1};
    if (p[0] == '0' && is_digit(p[1])) return NULL; /* "007" is a name */
    for (; is_digit(*p); p++, out->digits++) out->value = 10 * out->value + (*p - '0');
    int first = out->digits;
    /* "0,512" is no group of thousands. */
    for (const char *next;
         first > 0 && first <= 3 && out->value > 0 && (next = read_group(form, p, &separator, out)) != NULL;)
        p = next;
    if (*p == (form == CP_DERIVE_POINT ? '.' : ',')) {
        const char *begin = ++p;
        for (; is_digit(*p); p++, out->digits++) {
            out->value = 10 * out->value + (*p - '0');
            out->decimals *= 10;
        }
        if (p == begin) return NULL;
    }
    /* More digits than a double holds would be rounded twice. */
    return out->digits > 0 && out->digits <= 15 ? p : NULL;
}

/* [-(] [unit] digits [unit] [)]; *opt_unit gets the unit, *opt_odd whether anything but a plain number is there. */
static int read_money(cp_derive_form form, const char *text, double *out, unit *out_unit, int *out_odd) {
    const char *p = skip_blanks(text);
    amount a;
    int bracket = *p == '(', negative = bracket || *p == '-';
    if (negative || *p == '+') p = skip_blanks(p + 1);
    unit u = read_unit(p);
    p = skip_blanks(p + u.n);
    if (u.n && *p == '-' && !negative) negative = *p++ == '-';
    if (!(p = read_amount(form, p, &a))) return 0;
    if (!u.n) {
        u = read_unit(skip_blanks(p));
        if (u.n) p = skip_blanks(p) + u.n;
    }
    if (bracket && *p++ != ')') return 0;
    if (*skip_blanks(p)) return 0;
    *out = (negative ? -1 : 1) * a.value / a.decimals;
    *out_unit = u;
    *out_odd = bracket || u.n || a.groups || form == CP_DERIVE_COMMA;
    return 1;
}

/* All levels are amounts of this form and of one unit, and some are more than plain numbers. */
static int are_amounts(const cp_dict *levels, cp_derive_form form) {
    unit first = {0}, u;
    double x;
    int odd, some = 0;
    for (size_t k = 0; k < levels->n; k++) {
        if (!read_money(form, cp_dict_text(levels, k), &x, &u, &odd)) return 0;
        if (k == 0) first = u;
        if (!same_unit(u, first)) return 0;
        some |= odd;
    }
    return some;
}

/* ---------------------------------------------------------------------------------------------------------- times */

/* A point in time as it is written. */
typedef struct moment {
    int year, month, day;
    double hour;   /* of the day */
    double offset; /* hours ahead of UTC */
} moment;

/* Days from 1970-01-01 to a date of the Gregorian calendar.  Years begin in March here, so that the leap day is the
 * last of its year, and 400 years have 146,097 days. */
static int64_t days_of(int year, int month, int day) {
    int64_t y = year - (month <= 2), era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static int is_date(const moment *m) {
    static const int length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (m->month < 1 || m->month > 12 || m->day < 1 || m->year < 1) return 0;
    int leap = m->month == 2 && m->year % 4 == 0 && (m->year % 100 != 0 || m->year % 400 == 0);
    return m->day <= length[m->month - 1] + leap;
}

/* Three numbers with the same one of - / . between them. */
static const char *read_triple(const char *p, const int most[3], int out[3]) {
    char separator = '\0';
    for (int i = 0; i < 3; i++) {
        if (i > 0) {
            if ((*p != '-' && *p != '/' && *p != '.') || (separator && *p != separator)) return NULL;
            separator = *p++;
        }
        if (!(p = read_digits(p, most[i] == 4 ? 4 : 1, most[i], &out[i]))) return NULL;
    }
    return p;
}

static const char *read_numbers(cp_derive_form form, const char *p, moment *m) {
    static const int year_first[] = {4, 2, 2}, year_last[] = {2, 2, 4};
    int x[3];
    if (!(p = read_triple(p, form == CP_DERIVE_YEAR_FIRST ? year_first : year_last, x))) return NULL;
    if (form == CP_DERIVE_YEAR_FIRST)
        m->year = x[0], m->month = x[1], m->day = x[2];
    else if (form == CP_DERIVE_MONTH_FIRST)
        m->month = x[0], m->day = x[1], m->year = x[2];
    else
        m->day = x[0], m->month = x[1], m->year = x[2];
    return p;
}

/* "Jan", "january"; NULL if there is no month. */
static const char *read_month(const char *p, int *out) {
    static const char *const names[] = {"january", "february", "march",     "april",   "may",      "june",
                                        "july",    "august",   "september", "october", "november", "december"};
    size_t n = 0;
    while (is_letter(p[n])) n++;
    for (int i = 0; n >= 3 && i < 12; i++) {
        size_t k = 0, length = strlen(names[i]);
        while (k < n && k < length && (p[k] | 32) == names[i][k]) k++;
        if (k < n || (n > 3 && n < length && !(i == 8 && n == 4))) continue; /* "Sept" is in use */
        *out = i + 1;
        return p + n + (p[n] == '.');
    }
    return NULL;
}

static const char *skip_between(const char *p) {
    while (*p == ' ' || *p == '-' || *p == ',' || *p == '/') p++;
    return p;
}

/* "31 Jan 2024", "Jan 31, 2024", "31-Jan-2024", with the name of a weekday before it or not. */
static const char *read_named(const char *p, moment *m) {
    const char *comma = strchr(p, ','), *q;
    int month;
    if (is_letter(*p) && comma && !read_month(p, &month)) p = skip_blanks(comma + 1);
    if (is_letter(*p)) {
        if (!(p = read_month(p, &m->month)) || !(p = read_digits(skip_between(p), 1, 2, &m->day))) return NULL;
    } else {
        if (!(p = read_digits(p, 1, 2, &m->day)) || !(p = read_month(skip_between(p), &m->month))) return NULL;
    }
    q = skip_between(p);
    return q > p ? read_digits(q, 4, 4, &m->year) : NULL;
}

/* "+02:00", "-0500", "Z", "UTC", "GMT", or nothing. */
static const char *read_offset(const char *p, moment *m) {
    int hours, minutes = 0;
    if (*p == 'Z') return p + 1;
    if (!strncmp(p, "UTC", 3) || !strncmp(p, "GMT", 3)) return p + 3;
    if (*p != '+' && *p != '-') return p;
    int sign = *p++ == '-' ? -1 : 1;
    if (!is_digit(p[0]) || !is_digit(p[1])) return NULL;
    hours = 10 * (p[0] - '0') + (p[1] - '0');
    p += 2;
    if (*p == ':') p++;
    if (is_digit(*p) && !(p = read_digits(p, 2, 2, &minutes))) return NULL;
    m->offset = sign * (hours + minutes / 60.);
    return p;
}

/* "12:34", "12:34:56.789", "1:05 PM". */
static const char *read_clock(const char *p, moment *m) {
    int hour, minute, second = 0;
    double part = 0, place = 1;
    if (!(p = read_digits(p, 1, 2, &hour)) || *p != ':' || !(p = read_digits(p + 1, 2, 2, &minute))) return NULL;
    if (*p == ':' && !(p = read_digits(p + 1, 2, 2, &second))) return NULL;
    if (*p == '.' && is_digit(p[1]))
        for (p++; is_digit(*p); p++) part += (*p - '0') * (place /= 10);
    const char *q = skip_blanks(p);
    if ((q[0] == 'A' || q[0] == 'P' || q[0] == 'a' || q[0] == 'p') && (q[1] | 32) == 'm') {
        if (hour < 1 || hour > 12) return NULL;
        hour = hour % 12 + ((q[0] | 32) == 'p' ? 12 : 0);
        p = q + 2;
    }
    if (hour > 24 || minute > 59 || second > 60) return NULL;
    m->hour = hour + minute / 60. + (second + part) / 3600.;
    return m->hour <= 24 ? p : NULL;
}

static int read_moment(cp_derive_form form, const char *text, moment *m) {
    const char *p = skip_blanks(text);
    *m = (moment){.year = 1970, .month = 1, .day = 1};
    if (form != CP_DERIVE_CLOCK) {
        p = form == CP_DERIVE_MONTH_NAMED ? read_named(p, m) : read_numbers(form, p, m);
        if (!p || !is_date(m)) return 0;
        const char *q = *p == 'T' ? p + 1 : skip_blanks(p + (*p == ','));
        if (!*q) return q == p || *p == ' ';
        if (q == p) return 0;
        p = q;
    }
    if (!(p = read_clock(p, m)) || !(p = read_offset(skip_blanks(p), m))) return 0;
    return !*skip_blanks(p);
}

static int are_moments(const cp_dict *levels, cp_derive_form form) {
    moment m;
    for (size_t k = 0; k < levels->n; k++)
        if (!read_moment(form, cp_dict_text(levels, k), &m)) return 0;
    return 1;
}

static double part_of(const moment *m, cp_derive_part part) {
    double day = (double)days_of(m->year, m->month, m->day);
    switch (part) {
        case CP_DERIVE_TIME: return day + (m->hour - m->offset) / 24;
        case CP_DERIVE_HOUR: return m->hour;
        case CP_DERIVE_WEEKDAY: return 1 + fmod(fmod(day + 3, 7) + 7, 7); /* 1970-01-01 was a Thursday */
        case CP_DERIVE_MONTH: return m->month;
        default: return day - (double)days_of(m->year, 1, 1) + 1;
    }
}

/* --------------------------------------------------------------------------------------------------- for the schema */

/* Day and month could both be either: '/' is taken for the American order, other separators for the European one. */
static cp_derive_form choose_order(const cp_dict *levels, int *out_ambiguous) {
    int month = are_moments(levels, CP_DERIVE_MONTH_FIRST), day = are_moments(levels, CP_DERIVE_DAY_FIRST);
    *out_ambiguous = month && day;
    if (month && day) return strchr(cp_dict_text(levels, 0), '/') ? CP_DERIVE_MONTH_FIRST : CP_DERIVE_DAY_FIRST;
    return month ? CP_DERIVE_MONTH_FIRST : day ? CP_DERIVE_DAY_FIRST : CP_DERIVE_NO_FORM;
}

cp_derive_form cp_derive_find(const cp_dict *levels, int *out_ambiguous) {
    static const cp_derive_form times[] = {CP_DERIVE_YEAR_FIRST, CP_DERIVE_MONTH_NAMED, CP_DERIVE_CLOCK};
    *out_ambiguous = 0;
    if (levels->n == 0) return CP_DERIVE_NO_FORM;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (are_moments(levels, times[i])) return times[i];
    cp_derive_form order = choose_order(levels, out_ambiguous);
    if (order) return order;
    if (are_amounts(levels, CP_DERIVE_POINT)) return CP_DERIVE_POINT;
    return are_amounts(levels, CP_DERIVE_COMMA) ? CP_DERIVE_COMMA : CP_DERIVE_NO_FORM;
}

int cp_derive_value(cp_derive_form form, cp_derive_part part, const char *text, double *out) {
    unit u;
    moment m;
    int odd;
    if (!cp_derive_is_time(form)) return read_money(form, text, out, &u, &odd);
    if (!read_moment(form, text, &m)) return 0;
    *out = part_of(&m, part);
    return 1;
}

const char *cp_derive_suffix(cp_derive_part part) {
    static const char *const suffixes[CP_DERIVE_PARTS] = {"", "", ".time", ".hour", ".weekday", ".month", ".yearday"};
    return suffixes[part];
}

const char *cp_derive_words(cp_derive_form form) {
    static const char *const words[CP_DERIVE_FORMS] = {"",
                                                       "numbers",
                                                       "numbers with a decimal comma",
                                                       "dates, the year first",
                                                       "dates, the month first",
                                                       "dates, the day first",
                                                       "dates",
                                                       "times of day"};
    return words[form];
}
