/* model_update - online learning: more rows for a model whose method can take them. */
#ifndef CP_MODEL_UPDATE_H
#define CP_MODEL_UPDATE_H

#include "model/model.h"

copse_status cp_model_update(copse_model *m, const copse_table *t, const copse_run *run, copse_error *err);
/* Prequential (test, then train): *before holds the prediction of each row just before the row is learnt.  Rows without
 * a target are predicted and not learnt.  The caller clears *before, also on failure. */
copse_status cp_model_update_predict(copse_model *m, const copse_table *t, const copse_run *run, cp_answer *before,
                                     copse_error *err);

#endif
