/* hostile - what any bytes offered as a model file must lead to. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <stddef.h>
#include <stdint.h>

extern long hostile_number; /* of the mutant at work, for messages */

/* Says what is being tried, for messages: at most 200 characters. */
__attribute__((format(printf, 1, 2))) void hostile_about(const char *fmt, ...);

/* Ends the program with a message if something does not hold. */
void hostile_demand(int holds, const char *what, const char *more);

/* From now on 20 seconds of CPU time, or the program is ended by SIGPROF: a wall clock would judge how busy the machine
 * is. */
void hostile_hurry(void);

/* Demands that the bytes are refused with COPSE_E_MODEL and a message, or are a model that can be used in every way
 * (hostile_use.h); in a hurry.  1 if they were taken for a model. */
int hostile_try(const unsigned char *bytes, size_t n);

/* Makes size and checksums right, as far as the directory can be followed. */
void hostile_sign(unsigned char *bytes, size_t n);

/* Calls `work` for mutants first ... first + n - 1 and returns the sum of what it returns.  Survey: each in a process
 * of its own, so that one that breaks does not end the others; the first demand that each did not meet is printed, and
 * the return value is minus the number of broken ones, if there are any. */
typedef int (*hostile_work)(void *arg, long mutant);
long hostile_run(hostile_work work, void *arg, long first, long n, int survey);

/* A little-endian number of n bytes. */
uint64_t hostile_get(const unsigned char *from, size_t n);

#endif
