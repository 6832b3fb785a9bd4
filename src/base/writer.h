/* writer - collects the sections of a model file in memory, or their digest. */
#ifndef CP_WRITER_H
#define CP_WRITER_H

#include "base/codec.h"
#include "base/fail.h"
#include "base/sha256.h"

typedef struct cp_writer cp_writer;
copse_status cp_writer_new(cp_writer **out, copse_error *err);
void cp_writer_free(cp_writer *w);
/* From now on a section is not written when the run of the public call asks to stop (cp_supervise_check_stop). */
void cp_writer_may_stop(cp_writer *w);
/* From now on nothing is compressed, for an image that is read at once. */
void cp_writer_plain(cp_writer *w);
/* Puts a prefix before the names that follow: after push "tree.7", "left" is written as "tree.7.left".  The program
 * chooses all names; they are printable ASCII, at most 255 bytes with all prefixes. */
copse_status cp_writer_push(cp_writer *w, const char *prefix, copse_error *err);
copse_status cp_writer_push_nth(cp_writer *w, const char *kind, size_t number, copse_error *err); /* "kind.number" */
void cp_writer_pop(cp_writer *w);
copse_status cp_writer_array(cp_writer *w, const char *name, cp_codec_type type, const void *data, size_t n,
                             copse_error *err);
copse_status cp_writer_i64(cp_writer *w, const char *name, int64_t value, copse_error *err);
copse_status cp_writer_f64(cp_writer *w, const char *name, double value, copse_error *err);
copse_status cp_writer_text(cp_writer *w, const char *name, const char *text, copse_error *err);
/* A list of strings, e.g. names and levels. */
copse_status cp_writer_texts(cp_writer *w, const char *name, const char *const *texts, size_t n, copse_error *err);
/* Declares that reading needs n * size bytes besides the sections themselves, for what is rebuilt and not stored.  If
 * the image is too small to permit all claims (CP_CODEC_CLAIM), finish pads it. */
void cp_writer_claim(cp_writer *w, size_t n, size_t size);
/* The finished image, owned by the writer. */
copse_status cp_writer_finish(cp_writer *w, const unsigned char **out_bytes, size_t *out_n, copse_error *err);

/* A writer that keeps a hash of each section instead of its bytes, for the digest of an object that is not saved. */
copse_status cp_writer_new_digest(cp_writer **out, copse_error *err);
/* One hash of all sections for which `counts` returns 1, sorted by name.  It depends on their names, types and
 * elements, not on the order in which they were written or on how they are compressed. */
void cp_writer_digest(cp_writer *w, int (*counts)(const char *name), char out[CP_SHA256_HEX]);

#endif
