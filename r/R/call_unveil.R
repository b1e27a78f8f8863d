# How do data frames reach the program, and its figures R?
#
# The files hold codes only: columns are v1, v2, ..., labels L1, L2, ... Labels and names therefore
# stand neither on disk nor on the command line, and no character of theirs needs quoting. Numbers
# are written as numbers, with the 15 digits by which R tells them apart.

data_frames <- function(object) {
  if (inherits(object, "synds")) object <- object$syn
  if (is.data.frame(object)) object <- list(object)
  if (length(object) == 0 || !all(vapply(object, is.data.frame, NA)))
    stop("object must be a synds object, a data frame or a list of data frames.", call. = FALSE)
  unname(object)
}

column_names <- function(names, data, what) {
  if (is.numeric(names)) {
    if (!all(names %in% seq_along(data)))
      stop(what, ": the original has columns 1 to ", length(data), ".", call. = FALSE)
    names <- names(data)[names]
  }
  names <- as.character(names)
  if (length(names) == 0 || anyDuplicated(names))
    stop(what, " must be one or more different column names.", call. = FALSE)
  names
}

check_columns <- function(names, frames) {
  for (i in seq_along(frames)) {
    absent <- setdiff(names, names(frames[[i]]))
    where <- if (i == 1) "The original" else paste("Synthetic data set", i - 1)
    if (length(absent))
      stop(where, " has no column '", absent[1], "'.", call. = FALSE)
  }
}

is_number <- function(column) is.numeric(column) && !is.factor(column) && is.null(attr(column, "units"))

# One column of all data sets, as text that means the same in each of them.
encode_column <- function(columns) {
  if (all(vapply(columns, is_number, NA))) {
    if (any(is.infinite(unlist(columns))))
      stop("A number is infinite: recode it before disclosure is measured.", call. = FALSE)
    texts <- lapply(columns, function(x) ifelse(is.na(x), NA, sprintf("%.15g", as.numeric(x))))
    return(list(texts = texts, labels = NULL))
  }
  columns <- lapply(columns, as.character)
  labels <- sort(unique(unlist(columns)), method = "radix")
  codes <- sprintf("L%0*d", nchar(length(labels)), seq_along(labels))
  list(texts = lapply(columns, function(x) codes[match(x, labels)]), labels = labels, codes = codes)
}

encode_data <- function(data, copies, columns) {
  frames <- c(list(data), copies)
  check_columns(columns, frames)
  coded <- lapply(columns, function(name) encode_column(lapply(frames, function(f) f[[name]])))
  names(coded) <- columns
  codes <- paste0("v", seq_along(columns))
  files <- lapply(seq_along(frames), function(i) {
    file <- lapply(coded, function(column) column$texts[[i]])
    names(file) <- codes
    as.data.frame(file, stringsAsFactors = FALSE)
  })
  names(codes) <- columns
  list(files = files, codes = codes, coded = coded)
}

is_numeric_column <- function(encoded, name) is.null(encoded$coded[[name]]$labels)

# A level as the program is told of it; the name of a band is given as it is.
encode_level <- function(encoded, name, level) {
  if (is.na(level) || level == "Missing") return("")
  column <- encoded$coded[[name]]
  if (is.null(column$labels)) {
    number <- suppressWarnings(as.numeric(level))
    return(if (is.na(number)) as.character(level) else sprintf("%.15g", number))
  }
  code <- column$codes[match(level, column$labels)]
  if (is.na(code)) stop("'", level, "' is no level of '", name, "'.", call. = FALSE)
  code
}

decode_level <- function(encoded, name, level) {
  if (is.na(level)) return("Missing")
  column <- encoded$coded[[name]]
  if (is.null(column$labels)) level else column$labels[match(level, column$codes)]
}

program <- function() Sys.getenv("UNVEIL", "unveil")

# Runs the program on private files, which are gone when this function ends.
call_unveil <- function(encoded, keys, targets, options) {
  folder <- tempfile("unveil")
  old <- Sys.umask("077")
  on.exit({
    unlink(folder, recursive = TRUE)
    Sys.umask(old)
  })
  dir.create(folder, mode = "0700")
  files <- file.path(folder, c("original.csv", sprintf("synthetic%d.csv", seq_along(encoded$files[-1]))))
  for (i in seq_along(files))
    write_codes(encoded$files[[i]], files[i])
  names <- function(columns) paste(encoded$codes[columns], collapse = ",")
  out <- file.path(folder, "out.json")
  err <- file.path(folder, "err.txt")
  arguments <- c("disclosure", files, "--keys", names(keys), "--targets", names(targets), options, "--json")
  status <- suppressWarnings(
    system2(program(), shQuote(arguments), stdout = out, stderr = err)
  )
  if (status == 127)
    stop("The program '", program(), "' was not found. Install unveil, or name it by the ",
      "environment variable UNVEIL.", call. = FALSE)
  if (status != 0) stop(decode_message(paste(readLines(err), collapse = " "), encoded), call. = FALSE)
  jsonlite::fromJSON(out)
}

write_codes <- function(frame, file) {
  lines <- do.call(paste, c(lapply(frame, function(x) ifelse(is.na(x), "", x)), sep = ","))
  writeLines(c(paste(names(frame), collapse = ","), lines), file)
}

decode_message <- function(message, encoded) {
  for (i in rev(seq_along(encoded$codes)))
    message <- gsub(paste0("\\b", encoded$codes[i], "\\b"), names(encoded$codes)[i], message)
  trimws(message)
}
