/* bart_report - moves and traces of each chain as JSON, for other programs to plot. */
#ifndef CP_BART_REPORT_H
#define CP_BART_REPORT_H

#include "method/method.h"

void cp_bart_report(const void *state, cp_json *j);

#endif
