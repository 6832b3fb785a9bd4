/* codec - named typed arrays, little endian: the one codec for model files (and later for MPI and pickles).
 *
 * A writer collects sections in memory; a reader holds a whole image and answers for sections by name.  Nothing read is
 * trusted: a section that is absent, of another type, of another length than asked for, or whose checksum is wrong is
 * COPSE_E_MODEL.  docs/format.md describes the layout and the memory bound. */
#ifndef CP_CODEC_H
#define CP_CODEC_H

#include "base/fail.h"
#include "base/sha256.h"

enum {
    CP_CODEC_VERSION = 1, /* of the format: goes up when an older program would misread a file */
    CP_CODEC_RATIO = 32,  /* a section of s stored bytes holds at most this times s bytes */
    CP_CODEC_CLAIM = 256  /* an image of s bytes justifies at most this times s bytes of what is made from it */
};

typedef enum cp_codec_type { CP_U8, CP_I32, CP_U32, CP_I64, CP_F32, CP_F64 } cp_codec_type;

typedef struct cp_writer cp_writer;
copse_status cp_writer_new(cp_writer **out, copse_error *err);
void cp_writer_free(cp_writer *w);
/* Names nest with a prefix: after push "tree.7", "left" is written as "tree.7.left".  Names are made by the program,
 * printable ASCII, 255 bytes at most in whole. */
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
/* Says that reading this back takes n * size bytes more than the sections themselves, e.g. for what is rebuilt and not
 * stored.  The image is padded where it is too small to justify all that is claimed. */
void cp_writer_claim(cp_writer *w, size_t n, size_t size);
/* The finished image, owned by the writer. */
copse_status cp_writer_finish(cp_writer *w, const unsigned char **out_bytes, size_t *out_n, copse_error *err);

/* A writer that keeps a hash of each section instead of its bytes, for the digest of an object that is not saved.  It
 * takes no more memory than the hashes. */
copse_status cp_writer_new_digest(cp_writer **out, copse_error *err);
/* One hash of all sections for which `counts` answers 1, sorted by name: it depends on their names, types and elements,
 * and not on the order in which they were written or on how they are packed. */
void cp_writer_digest(cp_writer *w, int (*counts)(const char *name), char out[CP_SHA256_HEX]);

/* Could these be the first bytes of an image?  And if so, of one that only a later program reads? */
int cp_reader_sniff(const unsigned char *bytes, size_t n);
int cp_reader_too_new(const unsigned char *bytes, size_t n);

typedef struct cp_reader cp_reader;
/* The image is borrowed for the life of the reader.  Directory and checksums are
 * checked here, so from here on only a file made on purpose is bad. */
copse_status cp_reader_new(const unsigned char *bytes, size_t n, cp_reader **out, copse_error *err);
void cp_reader_free(cp_reader *r);
copse_status cp_reader_push(cp_reader *r, const char *prefix, copse_error *err);
copse_status cp_reader_push_nth(cp_reader *r, const char *kind, size_t number, copse_error *err);
void cp_reader_pop(cp_reader *r);
int cp_reader_has(const cp_reader *r, const char *name);
int cp_reader_has_nth(const cp_reader *r, const char *kind, size_t number, const char *name); /* "kind.number.name" */
/* Elements of a section, for sizing. */
copse_status cp_reader_count(cp_reader *r, const char *name, cp_codec_type type, size_t *out_n, copse_error *err);
/* A fresh copy of exactly n elements, freed with cp_mem_free; out is the address of a T *. */
copse_status cp_reader_array(cp_reader *r, const char *name, cp_codec_type type, size_t n, void *out_slot,
                             copse_error *err);
/* The same of doubles, all of which must be finite. */
copse_status cp_reader_finite(cp_reader *r, const char *name, size_t n, double **out, copse_error *err);
copse_status cp_reader_i64(cp_reader *r, const char *name, int64_t min, int64_t max, int64_t *out, copse_error *err);
copse_status cp_reader_f64(cp_reader *r, const char *name, double min, double max, double *out, copse_error *err);
copse_status cp_reader_text(cp_reader *r, const char *name, char **out, copse_error *err);
/* n strings in one block: cp_mem_free(*out) frees all.  They are bytes without NUL, in whatever encoding the user's
 * data have, so that names and levels match the next file byte by byte. */
copse_status cp_reader_texts(cp_reader *r, const char *name, char ***out, size_t *out_n, copse_error *err);

/* To be called before the n * size bytes are allocated that a writer claimed: COPSE_E_MODEL if the image is too small
 * to justify them, together with those claimed before. */
copse_status cp_reader_claim(cp_reader *r, size_t n, size_t size, copse_error *err);

/* Raises COPSE_E_MODEL with the section's name in the message: for the checks that follow a read. */
__attribute__((format(printf, 3, 4))) copse_status cp_reader_bad(const cp_reader *r, copse_error *err, const char *fmt,
                                                                 ...);

#endif
