/* reader - finds and unpacks the sections of a model file, and refuses whatever is damaged. */
#ifndef CP_READER_H
#define CP_READER_H

#include "base/codec.h"
#include "base/fail.h"

struct cp_number_rule;

/* Whether these can be the first bytes of an image. */
int cp_reader_sniff(const unsigned char *bytes, size_t n);
/* Whether they begin an image of a later format version, which this program cannot read. */
int cp_reader_too_new(const unsigned char *bytes, size_t n);

typedef struct cp_reader cp_reader;
/* The image is borrowed for the life of the reader.  Directory and checksums are checked here, so that afterwards only
 * a file that was forged can be bad. */
copse_status cp_reader_new(const unsigned char *bytes, size_t n, cp_reader **out, copse_error *err);
/* COPSE_E_MEMORY if the image and all its sections, unpacked, need more bytes than the limit; and from now on if what
 * is claimed beyond them needs more.  0: no limit. */
copse_status cp_reader_limit(cp_reader *r, size_t limit, copse_error *err);
void cp_reader_free(cp_reader *r);
copse_status cp_reader_push(cp_reader *r, const char *prefix, copse_error *err);
copse_status cp_reader_push_nth(cp_reader *r, const char *kind, size_t number, copse_error *err);
void cp_reader_pop(cp_reader *r);
int cp_reader_has(const cp_reader *r, const char *name);
int cp_reader_has_nth(const cp_reader *r, const char *kind, size_t number, const char *name); /* "kind.number.name" */
/* The numbers that sections below the prefix at hand may hold (base/number_rule.h); they are forgotten when that prefix
 * is popped.  The list is borrowed.  Once a reader has rules, an array of real numbers needs one: to read a section
 * without a rule is a bug. */
void cp_reader_rules(cp_reader *r, const struct cp_number_rule *rules, size_t n);
/* The number of elements of a section. */
copse_status cp_reader_count(cp_reader *r, const char *name, cp_codec_type type, size_t *out_n, copse_error *err);
/* A new array of exactly n elements, which the caller frees with cp_mem_free; out_slot is the address of a T *. */
copse_status cp_reader_array(cp_reader *r, const char *name, cp_codec_type type, size_t n, void *out_slot,
                             copse_error *err);
/* The same for doubles, all of which must be finite. */
copse_status cp_reader_finite(cp_reader *r, const char *name, size_t n, double **out, copse_error *err);
copse_status cp_reader_i64(cp_reader *r, const char *name, int64_t min, int64_t max, int64_t *out, copse_error *err);
copse_status cp_reader_f64(cp_reader *r, const char *name, double min, double max, double *out, copse_error *err);
copse_status cp_reader_text(cp_reader *r, const char *name, char **out, copse_error *err);
/* n strings in one block: cp_mem_free(*out) frees all.  They are bytes without NUL in the encoding of the user's data,
 * so that names and levels match those of the next file byte by byte. */
copse_status cp_reader_texts(cp_reader *r, const char *name, char ***out, size_t *out_n, copse_error *err);

/* Must be called before n * size bytes are allocated that the writer claimed.  COPSE_E_MODEL if the image is too small
 * to permit this claim and those before it. */
copse_status cp_reader_claim(cp_reader *r, size_t n, size_t size, copse_error *err);

/* Raises COPSE_E_MODEL with the section's name in the message: for checks of what was read. */
__attribute__((format(printf, 3, 4))) copse_status cp_reader_bad(const cp_reader *r, copse_error *err, const char *fmt,
                                                                 ...);

#endif
