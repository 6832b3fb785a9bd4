#include "base/number_rule.h"

#include <ctype.h>
#include <math.h>

int cp_number_rule_matches(const cp_number_rule *rule, const char *name) {
    const char *p = rule->name;
    for (; *p && *name; p++) {
        if (*p != '#') {
            if (*p != *name++) return 0;
            continue;
        }
        if (!isdigit((unsigned char)*name)) return 0;
        while (isdigit((unsigned char)*name)) name++;
    }
    return !*p && !*name;
}

static int allows(const cp_number_rule *r, double v) {
    if (v >= r->least && v <= r->most) return 1;
    if (v == 0) return !!(r->also & CP_ALSO_ZERO);
    if (isnan(v)) return !!(r->also & CP_ALSO_NAN);
    return isinf(v) && (r->also & CP_ALSO_INFINITY);
}

size_t cp_number_rule_find(const cp_number_rule *rule, cp_codec_type type, const void *data, size_t n) {
    size_t step = rule->every ? rule->every : 1;
    const double *real = data;
    const float *single = data;
    for (size_t i = rule->at; i < n; i += step)
        if (!allows(rule, type == CP_F64 ? real[i] : (double)single[i])) return i;
    return n;
}

size_t cp_number_rule_find_whole(cp_codec_type type, const void *data, size_t n) {
    const int32_t *narrow = data;
    const int64_t *wide = data;
    size_t i = 0;
    if (type == CP_I32)
        while (i < n && narrow[i] >= -1) i++;
    else if (type == CP_I64)
        while (i < n && wide[i] >= 0 && wide[i] <= (int64_t)1 << 53) i++;
    else
        i = n;
    return i;
}
