/* api_prediction - the public handle of an answer. */
#ifndef CP_API_PREDICTION_H
#define CP_API_PREDICTION_H

#include "method/answer.h"

struct copse_prediction {
    cp_answer answer;
};

#endif
