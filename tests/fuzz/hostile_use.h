/* hostile_use - everything that people do with a model, demanded of a model that an enemy has made. */
#ifndef HOSTILE_USE_H
#define HOSTILE_USE_H

#include "copse.h"

/* Checks, predicts, evaluates, lists trees as text, JSON and dot, asks for effects and importances, learns, saves and
 * loads again.  Answers must be finite, and the saved model the same.  Leaves the model changed. */
void hostile_use_model(copse_model *m);

#endif
