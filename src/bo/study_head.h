/* study_head - the head of a study's file: its options and its space, as sections of the codec (base/codec.h). */
#ifndef CP_STUDY_HEAD_H
#define CP_STUDY_HEAD_H

#include "bo/study.h"

/* Makes the file of a new study, with a head and no records. */
copse_status cp_study_head_create(const copse_study *s, const char *path, copse_error *err);
/* Sets space and options from the head of the study's journal. */
copse_status cp_study_head_read(copse_study *s, copse_error *err);

#endif
