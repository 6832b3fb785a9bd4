/* journal - an append-only file of checksummed records that several processes write, and that outlives each of them.
 *
 *     "\x89COPSEL\n" | u32 version | u32 0 | u64 bytes of the head | head | u64 checksum | record | record ...
 *     record:  u32 bytes of the payload | u32 kind | payload | u64 checksum
 *
 * Numbers are little endian.  Each checksum (XXH64) is seeded with the one before it, so a record is valid only in its
 * place.  A record is on the disk before append returns.  A writer that is killed leaves at most the beginning of one
 * record at the end of the file.  That record was never acknowledged: readers skip it, and the next writer cuts it off.
 * An invalid record that a whole record follows is damage. */
#ifndef CP_JOURNAL_H
#define CP_JOURNAL_H

#include "base/fail.h"

enum { CP_JOURNAL_MAX = 1 << 16 }; /* bytes of a payload; the most that is searched after an invalid record */

typedef struct cp_journal cp_journal;

/* Makes a new file, atomically.  COPSE_E_USAGE if the file exists. */
copse_status cp_journal_create(const char *path, const unsigned char *head, size_t n, copse_error *err);
/* COPSE_E_MODEL if it is no journal, or its head is damaged.  A file without write permission can be read. */
copse_status cp_journal_open(const char *path, cp_journal **out, copse_error *err);
const unsigned char *cp_journal_head(const cp_journal *l, size_t *out_n);
void cp_journal_free(cp_journal *l);

/* Waits for the lock.  While it is held no other process reads or writes the file. */
copse_status cp_journal_lock(cp_journal *l, copse_error *err);
void cp_journal_unlock(cp_journal *l);

typedef struct cp_journal_record {
    uint32_t kind;
    const unsigned char *bytes; /* valid until the next call */
    size_t n;
} cp_journal_record;
/* Under the lock: the next record that another process wrote, or that was there when the journal was opened; *out_got
 * is 0 at the end.  COPSE_E_MODEL if the file is damaged. */
copse_status cp_journal_next(cp_journal *l, cp_journal_record *out, int *out_got, copse_error *err);
/* Under the lock, after all records have been read.  When it returns the record is on the disk; if it fails the record
 * is not in the file.  cp_journal_next does not return the caller's own records. */
copse_status cp_journal_append(cp_journal *l, uint32_t kind, const unsigned char *bytes, size_t n, copse_error *err);

#endif
