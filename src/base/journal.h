/* journal - an append-only file of checksummed records that several processes write, and that outlives each of them.
 *
 *     "\x89COPSEL\n" | u32 version | u32 0 | u64 bytes of the head | head | u64 checksum | record | record ...
 *     record:  u32 bytes of the payload | u32 kind | payload | u64 checksum
 *
 * Little endian.  A checksum (XXH64) is seeded with the one before it, so a record counts only in its place.  A record
 * is on the disk before append returns.  Who is killed while writing leaves at most the beginning of one record, at the
 * end; it was never acknowledged, readers pass over it, and the next writer cuts it off.  What has a whole record
 * behind it is damage instead, whatever it says of its length. */
#ifndef CP_JOURNAL_H
#define CP_JOURNAL_H

#include "base/fail.h"

enum { CP_JOURNAL_MAX = 1 << 16 }; /* bytes of a payload; as many are looked through where a file ends badly */

typedef struct cp_journal cp_journal;

/* A new file that appears whole or not at all.  COPSE_E_USAGE if there is one of that name. */
copse_status cp_journal_create(const char *path, const unsigned char *head, size_t n, copse_error *err);
/* COPSE_E_MODEL if it is none, or its head is damaged.  A file that may not be written can be read. */
copse_status cp_journal_open(const char *path, cp_journal **out, copse_error *err);
const unsigned char *cp_journal_head(const cp_journal *l, size_t *out_n);
void cp_journal_free(cp_journal *l);

/* Between the two no other process reads or writes the file.  Waits for its turn. */
copse_status cp_journal_lock(cp_journal *l, copse_error *err);
void cp_journal_unlock(cp_journal *l);

typedef struct cp_journal_record {
    uint32_t kind;
    const unsigned char *bytes; /* live until the next call */
    size_t n;
} cp_journal_record;
/* Under the lock: the next record not read yet, whoever wrote it; *out_got is 0 at the end.  COPSE_E_MODEL if what
 * follows is damage and not the beginning of a record. */
copse_status cp_journal_next(cp_journal *l, cp_journal_record *out, int *out_got, copse_error *err);
/* Under the lock, once all records have been read.  When it returns the record is on the disk; if it fails there is
 * none.  The caller's own records are not read again. */
copse_status cp_journal_append(cp_journal *l, uint32_t kind, const unsigned char *bytes, size_t n, copse_error *err);

#endif
