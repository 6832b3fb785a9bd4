/* hostile_study - what any bytes offered as a study must lead to. */
#ifndef HOSTILE_STUDY_H
#define HOSTILE_STUDY_H

#include <stddef.h>

/* Demands that the bytes are refused with COPSE_E_MODEL and a message, or are a study that asks, is told and opens
 * again; in a hurry.  1 if they were taken for a study. */
int hostile_study_try(const unsigned char *bytes, size_t n);

/* Makes all checksums right, as far as the lengths can be followed. */
void hostile_study_sign(unsigned char *bytes, size_t n);

#endif
