/* study_choose - the policy of a study: the point of its next trial. */
#ifndef CP_STUDY_CHOOSE_H
#define CP_STUDY_CHOOSE_H

#include "bo/study.h"

/* x gets the values of the point; *point its number in a list, or CP_NONE in a box.  All records have been read. */
copse_status cp_study_choose(copse_study *s, double *x, int32_t *point, copse_error *err);

#endif
