/* study_records - the records of a study's file, encoded and decoded.
 *
 *   asked   point              a new trial
 *   told    u64 trial | value  its value, NaN if the evaluation failed
 *   added   point | value      a new trial with its value
 *
 * A point is the f64 values of its dimensions in a box, its u64 number in a list.  A value is an f64.  All are little
 * endian. */
#ifndef CP_STUDY_RECORDS_H
#define CP_STUDY_RECORDS_H

#include "base/journal.h"
#include "bo/space.h"

/* Files hold these numbers. */
typedef enum cp_study_record_kind { CP_STUDY_ASKED = 1, CP_STUDY_TOLD = 2, CP_STUDY_ADDED = 3 } cp_study_record_kind;

typedef struct cp_study_record {
    cp_study_record_kind kind;
    const double *x; /* asked, added: the values of the point */
    int32_t point;   /* asked, added: its number in a list; CP_NONE in a box */
    uint64_t trial;  /* told */
    double value;    /* told, added */
} cp_study_record;

copse_status cp_study_records_append(cp_journal *j, const cp_space *s, const cp_study_record *r, copse_error *err);
/* x: room for the values of a point; out->x points there, or into the space.  COPSE_E_MODEL if the bytes are no record,
 * or the point is not in the space; trial and value are not checked. */
copse_status cp_study_records_decode(const cp_space *s, const cp_journal_record *r, double *x, cp_study_record *out,
                                     copse_error *err);
/* COPSE_E_MODEL: a record that no study can have written. */
copse_status cp_study_records_bad(copse_error *err);

#endif
