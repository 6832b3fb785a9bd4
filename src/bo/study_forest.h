/* study_forest - the surrogate of a study, kept up to date with its tells.
 *
 * The surrogate learns the transformed values of the trials (target_transform.h) at points scaled by the relevance of
 * each dimension (ard_scales.h).  From time to time transform and scales are fitted again, and a new forest is
 * grown. */
#ifndef CP_STUDY_FOREST_H
#define CP_STUDY_FOREST_H

#include "bo/study.h"

/* Makes the forest learn all tells.  There is at least one that the phase uses. */
copse_status cp_study_forest_update(copse_study *s, copse_error *err);
/* What the forest learns for a told trial: its transformed value, or the minimum if the phase does not use it. */
double cp_study_forest_target(const copse_study *s, int32_t trial);

#endif
