/* decimal - a decimal text to the nearest double, exactly as strtod in the C locale, but several times faster. */
#ifndef CP_DECIMAL_H
#define CP_DECIMAL_H

/* Reads  [+-] (digits [. digits] | . digits) [(e|E) [+-] digits]  or  [+-] (inf | infinity), the words in any case.
 * Returns where it stopped, or NULL if there is no number at p.  Ties go to even, too large is inf, too small is 0.
 * The text must end in a byte that cannot belong to a number, and 8 bytes from there on must be readable. */
const char *cp_decimal_read(const char *p, double *out);

#endif
