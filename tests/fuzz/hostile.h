/* hostile - what any bytes offered as a model file must lead to. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <stddef.h>
#include <stdint.h>

extern long hostile_number; /* of the mutant at work, for messages */

/* Ends the program with a message if something does not hold. */
void hostile_demand(int holds, const char *what, const char *more);

/* From now on 20 seconds of CPU time, or the program is ended by SIGPROF: a wall clock would judge how busy the machine
 * is. */
void hostile_hurry(void);

/* Demands that the bytes are refused with COPSE_E_MODEL and a message, or are a model that is sound, predicts and
 * learns; in a hurry.  1 if they were taken for a model. */
int hostile_try(const unsigned char *bytes, size_t n);

/* Makes size and checksums right, as far as the directory can be followed. */
void hostile_sign(unsigned char *bytes, size_t n);

/* A little-endian number of n bytes. */
uint64_t hostile_get(const unsigned char *from, size_t n);

#endif
