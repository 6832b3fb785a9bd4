# tgp's bcart: Rscript tgp.R FOLDER BURN_IN ITERATIONS SEED.  FOLDER holds train.f4 and test.f4, float32, column after column,
# the target last; "train.rows" and "test.rows" say how many rows each has; the test target is the noise-free function.
# Prints one JSON object.  CPU seconds are of a run that predicts nowhere; the error is of a second one that does.
suppressMessages(library(tgp))

arg <- commandArgs(trailingOnly = TRUE)
burn <- as.integer(arg[2]); total <- as.integer(arg[3])

read <- function(name) {
  rows <- scan(file.path(arg[1], paste0(name, ".rows")), quiet = TRUE)
  path <- file.path(arg[1], paste0(name, ".f4"))
  m <- matrix(readBin(path, "numeric", n = file.size(path) / 4, size = 4), nrow = rows)
  list(x = m[, -ncol(m), drop = FALSE], y = m[, ncol(m)])
}
cpu <- function() sum(proc.time()[1:2])

train <- read("train"); test <- read("test")
set.seed(as.integer(arg[4]))
begin <- cpu()
quiet <- bcart(X = train$x, Z = train$y, BTE = c(burn, total, 2), pred.n = FALSE, verb = 0)
done <- cpu()
set.seed(as.integer(arg[4]))
answer <- bcart(X = train$x, Z = train$y, XX = test$x, BTE = c(burn, total, 2), pred.n = FALSE, verb = 0)
cat(sprintf('{"peer": "tgp %s", "fit_cpu_seconds": %.4f, "iterations": %d, "rmse": %.6f}\n', packageVersion("tgp"),
            done - begin, total, sqrt(mean((answer$ZZ.mean - test$y)^2))))
