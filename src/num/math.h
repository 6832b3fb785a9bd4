/* math - the elementary functions that decide a model: log, exp and their kin.
 *
 * The C library's own differ in their last bits from one processor and one version to the next.  These use additions,
 * multiplications and tables alone, never fused, so that every machine with IEEE doubles gives the same bits.
 * tools/check-symbols refuses the C library's in src/; sqrt, floor, ceil, rint, fabs, ldexp and frexp are exact
 * everywhere and may be used.
 *
 * Error bounds are in units of the last place (ulp) of the result, and are tested against long double arithmetic and
 * 200-bit values.  Infinities, zeros, NaN and subnormal numbers are treated as in C; errno is not set. */
#ifndef CP_MATH_H
#define CP_MATH_H

double cp_math_exp(double x);   /* .52 ulp; below 2^-1022 one more */
double cp_math_exp2(double x);  /* .6 ulp; exact for whole x */
double cp_math_expm1(double x); /* exp(x) - 1: .9 ulp */
double cp_math_log(double x);   /* .52 ulp */
double cp_math_log1p(double x); /* log(1 + x): .8 ulp */
double cp_math_log2(double x);  /* 1.5 ulp; exact for powers of 2 */
double cp_math_log10(double x); /* 2 ulp */
/* x^y for x >= 0: 1.5 ulp where the result is normal; NaN for x < 0, which nobody here needs. */
double cp_math_pow(double x, double y);

/* cos and sin of 2 pi t: .8 ulp of the greater of |result| and 2^-53; NaN for |t| > 2^50. */
void cp_math_cos_sin_turn(double t, double *out_cos, double *out_sin);
/* cos and sin of x: an absolute error below 2e-16 (1 + |x|); NaN for |x| > 1e6.  For made-up data. */
double cp_math_cos(double x);
double cp_math_sin(double x);
/* The angle of the point (x, y), from -pi to pi: 3 ulp for finite arguments, not both 0.  For made-up data. */
double cp_math_atan2(double y, double x);

#endif
