# ranger's random forest or extra trees: Rscript ranger.R FOLDER KIND TASK TREES MIN_LEAF FEATURES SEED.
# FOLDER holds train.f4 and test.f4, float32, column after column, the target last; "train.rows" and "test.rows" say how
# many rows each has.  FEATURES 0: all.  Prints one JSON object; CPU seconds are of fitting and predicting alone; predictions
# are made five times, and the median counts.
#
# ranger 0.14 bounds the size of nodes that are split, not of leaves: 2 x MIN_LEAF - 1 is the bound that leaves of
# MIN_LEAF rows imply.
suppressMessages(library(ranger))

arg <- commandArgs(trailingOnly = TRUE)
kind <- arg[2]; task <- arg[3]
number <- as.integer(arg[4:7]); trees <- number[1]; leaf <- number[2]; features <- number[3]; seed <- number[4]

read <- function(name) {
  rows <- scan(file.path(arg[1], paste0(name, ".rows")), quiet = TRUE)
  path <- file.path(arg[1], paste0(name, ".f4"))
  m <- matrix(readBin(path, "numeric", n = file.size(path) / 4, size = 4), nrow = rows)
  x <- m[, -ncol(m), drop = FALSE]
  colnames(x) <- paste0("x", seq_len(ncol(x)))
  list(x = x, y = if (task == "class") factor(m[, ncol(m)]) else m[, ncol(m)])
}
cpu <- function() sum(proc.time()[1:2])

train <- read("train")
extra <- if (kind == "ert") list(splitrule = "extratrees", num.random.splits = 1, replace = FALSE, sample.fraction = 1)
begin <- cpu()
forest <- do.call(ranger, c(list(
  x = train$x, y = train$y, num.trees = trees, mtry = if (features > 0) features else ncol(train$x),
  min.node.size = 2 * leaf - 1, num.threads = 1, seed = seed, oob.error = FALSE, verbose = FALSE), extra))
fitted <- cpu()
status <- readLines("/proc/self/status")
peak <- as.numeric(gsub("[^0-9]", "", grep("^VmHWM", status, value = TRUE))) / 1024
test <- read("test")
seconds <- numeric(0)
for (k in 1:5) {
  asking <- cpu()
  answer <- predict(forest, test$x, num.threads = 1, verbose = FALSE)$predictions
  seconds[k] <- cpu() - asking
}
score <- if (task == "class") sprintf('"accuracy": %.6f', mean(as.character(answer) == as.character(test$y))) else
  sprintf('"rmse": %.8g', sqrt(mean((answer - test$y)^2)))
cat(sprintf('{"peer": "ranger %s", "fit_cpu_seconds": %.4f, "predict_cpu_seconds": %.4f, "first_predict_cpu_seconds": %.4f, "nodes": %d, "peak_rss_mb": %.1f, %s}\n',
            packageVersion("ranger"), fitted - begin, median(seconds), seconds[1],
            sum(lengths(forest$forest$split.varIDs)), peak, score))
