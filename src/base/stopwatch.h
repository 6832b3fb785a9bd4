/* stopwatch - wall-clock and CPU time of a piece of work. */
#ifndef CP_STOPWATCH_H
#define CP_STOPWATCH_H

typedef struct cp_stopwatch {
    double wall, cpu; /* seconds: the clocks when it was started */
} cp_stopwatch;

cp_stopwatch cp_stopwatch_start(void);
/* Adds the seconds since the start: wall-clock time, and CPU time of all threads of the process. */
void cp_stopwatch_add(const cp_stopwatch *s, double *wall, double *cpu);

#endif
