#include "io/look.h"

#include <string.h>

#include "io/csv.h"
#include "io/csv_sniff.h"
#include "io/npy.h"

enum { ENOUGH = 1 << 16, FIRST_LOOK = 1 << 20 };

/* The first line tells the format if the name does not. */
static copse_status find_format(cp_look *l, const cp_content *in, int ended, copse_error *err) {
    if (!ended && in->n < ENOUGH && !memchr(in->bytes, '\n', in->n)) return COPSE_OK;
    return cp_read_format(in, l->opt->format, &l->format, err);
}

/* The end of the last whole character: the rest of the next one may still arrive. */
static size_t whole_characters(const cp_content *in) {
    enum { LONGEST = 4 };
    size_t n = in->n;
    for (int i = 0; i < LONGEST && n > 0 && ((unsigned char)in->bytes[n - 1] & 0xc0) == 0x80; i++) n--;
    return n > 0 && (unsigned char)in->bytes[n - 1] >= 0xc0 ? n - 1 : in->n;
}

/* Looks at the new bytes only; if they are no text, a check of all bytes says where. */
static copse_status check_text(cp_look *l, const cp_content *in, copse_error *err) {
    size_t end = whole_characters(in);
    if (end <= l->checked) return COPSE_OK;
    if (cp_text_check(in->name, in->bytes + l->checked, end - l->checked, 1, NULL))
        return cp_text_check(in->name, in->bytes, end, 1, err);
    l->checked = end;
    return COPSE_OK;
}

/* Counts the fields of the first row, as far as it has arrived. */
static copse_status check_header(cp_look *l, const cp_content *in, copse_error *err) {
    const char *p = in->bytes + cp_text_bom(in->bytes, in->n);
    char delimiter = l->opt->delimiter ? l->opt->delimiter : l->format->delimiter;
    if (in->n < l->next) return COPSE_OK;
    l->next = 2 * in->n;
    while (*p == '\n' || *p == '\r') p++;
    size_t fields = cp_csv_sniff_fields(&p, delimiter ? delimiter : cp_csv_sniff(p));
    l->header_is_whole = p < in->bytes + in->n;
    return cp_read_columns(in->name, l->opt, fields, err);
}

copse_status cp_look_at(void *look, const cp_content *arrived, int ended, copse_error *err) {
    cp_look *l = look;
    if (!l->next) l->next = FIRST_LOOK;
    if (!l->format) CP_TRY(find_format(l, arrived, ended, err));
    if (!l->format || l->format->read == cp_npy_read) return COPSE_OK;
    CP_TRY(check_text(l, arrived, err));
    if (ended || l->header_is_whole || l->format->read != cp_csv_read) return COPSE_OK;
    return check_header(l, arrived, err);
}
