/* btree_report - the full record of each island or chain as JSON, from which other programs draw traces. */
#ifndef CP_BTREE_REPORT_H
#define CP_BTREE_REPORT_H

#include "method/method.h"

void cp_btree_report(const void *state, cp_json *j);

#endif
