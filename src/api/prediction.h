/* prediction - the public handle around an answer. */
#ifndef CP_PREDICTION_H
#define CP_PREDICTION_H

#include "method/method.h"

struct copse_prediction {
    cp_answer answer;
};

#endif
