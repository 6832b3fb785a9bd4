/* model_update - online learning: more rows for a model whose method can take them. */
#ifndef CP_MODEL_UPDATE_H
#define CP_MODEL_UPDATE_H

#include "model/model.h"

copse_status cp_model_update(copse_model *m, const copse_table *t, const copse_run *run, copse_error *err);
/* One encoded row with its target, between cp_model_begin_write and its end; its values are those of
 * cp_model_summary_add_row.  `classes`: of the schema before the row's own was appended. */
copse_status cp_model_update_row(copse_model *m, const cp_rows *row, const double *value, size_t classes,
                                 copse_error *err);
/* COPSE_E_USAGE if the method does not learn online, or the model was saved frozen. */
copse_status cp_model_update_check(const copse_model *m, copse_error *err);
/* Prequential (test, then train): *before holds the prediction of each row just before the row is learnt.  Rows without
 * a target are predicted and not learnt.  The caller clears *before, also on failure. */
copse_status cp_model_update_predict(copse_model *m, const copse_table *t, const copse_run *run, cp_answer *before,
                                     copse_error *err);

#endif
