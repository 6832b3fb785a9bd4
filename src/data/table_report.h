/* table_report - what a user should know of a table before fitting: kinds, missing values, constant and duplicate
 * columns, and columns that a few odd values turned into text. */
#ifndef CP_TABLE_REPORT_H
#define CP_TABLE_REPORT_H

#include "data/table.h"

/* Says it on `run`, a line for each finding. */
void cp_table_report(const copse_table *t, const copse_run *run);

#endif
