# Reads rows and writes what each model says of them: Rscript driver.R N_MODELS
bytes <- function(hex) {
  as.raw(strtoi(substring(hex, seq(1, nchar(hex) - 1, 2), seq(2, nchar(hex), 2)), 16L))
}
cell <- function(token) {
  rest <- substring(token, 2)
  switch(substr(token, 1, 1),
    n = readBin(bytes(rest), "double", endian = "big"),
    b = rest == "1",
    t = {
      text <- if (nchar(rest) == 0) "" else rawToChar(bytes(rest))
      Encoding(text) <- "UTF-8"
      text
    },
    m = as.POSIXct(as.numeric(rest) / 1e6, origin = "1970-01-01", tz = "UTC"),
    z = as.POSIXct(as.numeric(rest) / 1e6, origin = "1970-01-01", tz = "Asia/Tokyo"),
    h = ,
    d = as.difftime(as.numeric(rest) / 1e6, units = "secs"),
    NA)
}
hex <- function(raw) paste(as.character(raw), collapse = "")
cells <- function(line) if (line == "") list() else lapply(strsplit(line, " ")[[1]], cell)

for (i in seq_len(as.integer(commandArgs(TRUE)[[1]])) - 1) {
  source(sprintf("model_%d.R", i))
  lines <- readLines(sprintf("rows_%d.txt", i))
  names <- unlist(cells(lines[[1]]))
  rows <- lapply(lines[-1], cells)
  table <- lapply(seq_along(names), function(k) {
    column <- lapply(rows, `[[`, k)
    known <- Filter(function(x) inherits(x, c("POSIXct", "difftime")), column)
    if (length(known) == 0) return(unlist(column))
    empty <- known[[1]]
    empty[[1]] <- NA
    do.call(c, lapply(column, function(x) if (is.na(x)) empty else x))
  })
  names(table) <- names
  table <- if (length(names) == 0) {
    data.frame(row.names = seq_along(rows))
  } else {
    as.data.frame(table, optional = TRUE, check.names = FALSE, stringsAsFactors = i %% 2 == 0)
  }
  names(table) <- names
  proba <- bsnsing_model$predict_proba(table)
  labels <- as.character(bsnsing_model$predict(table))
  said <- vapply(seq_along(rows), function(r) {
    bits <- vapply(proba[r, ], function(p) hex(writeBin(p, raw(), endian = "big")), "")
    paste(c(bits, paste0("t", hex(charToRaw(enc2utf8(labels[[r]]))))), collapse = " ")
  }, "")
  writeLines(said, sprintf("out_%d.txt", i))
}
