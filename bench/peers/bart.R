# BART in R: Rscript bart.R PACKAGE FOLDER TREES BURN_IN SAMPLES SEED OUT, PACKAGE being dbarts or BART.  FOLDER as in benchdata.files.
# The draws of f at the test rows go to OUT (float64, draw after draw).  Prints one JSON object; CPU seconds are of a run that
# predicts nowhere, the draws of a second one that does.
arg <- commandArgs(trailingOnly = TRUE)
suppressMessages(library(arg[1], character.only = TRUE))
trees <- as.integer(arg[3]); burn <- as.integer(arg[4]); samples <- as.integer(arg[5]); seed <- as.integer(arg[6])

read <- function(name) {
  rows <- scan(file.path(arg[2], paste0(name, ".rows")), quiet = TRUE)
  path <- file.path(arg[2], paste0(name, ".f4"))
  m <- matrix(readBin(path, "numeric", n = file.size(path) / 4, size = 4), nrow = rows)
  list(x = m[, -ncol(m), drop = FALSE], y = m[, ncol(m)])
}
cpu <- function() sum(proc.time()[1:2])
fit <- function(x.test) {
  set.seed(seed)
  if (arg[1] == "dbarts")
    bart(train$x, train$y, x.test, ntree = trees, nskip = burn, ndpost = samples, nchain = 1, nthread = 1, verbose = FALSE)
  else
    wbart(train$x, train$y, x.test, ntree = trees, nskip = burn, ndpost = samples, printevery = 1e9L)
}

train <- read("train"); test <- read("test")
begin <- cpu()
quiet <- capture.output(fit(matrix(0, 0, ncol(train$x))))
done <- cpu()
quiet <- capture.output(answer <- fit(test$x))
writeBin(as.vector(t(answer$yhat.test)), arg[7], size = 8)
rss <- as.numeric(sub("[^0-9]*([0-9]+).*", "\\1", grep("VmHWM", readLines("/proc/self/status"), value = TRUE))) / 1024
cat(sprintf('{"peer": "%s %s", "fit_cpu_seconds": %.4f, "peak_rss_mb": %.1f}\n', arg[1], packageVersion(arg[1]), done - begin, rss))
