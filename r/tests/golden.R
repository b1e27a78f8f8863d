# The golden runs of synthpop 1.9-3: each call made again from R, with the arguments that synthpop was
# given, and every figure compared. Not compared is what docs/differences.md names: identity figures
# under exclusions of anything but missing keys, and what misaligned tables made of checks.
library(unveil)

FIGURES <- 8061
folder <- Sys.getenv("UNVEIL_REFERENCE")
if (!nzchar(folder) || !file.exists(file.path(folder, "golden.json")) ||
    !nzchar(Sys.which(Sys.getenv("UNVEIL", "unveil")))) {
  cat(FIGURES, "figures of synthpop went unchecked from R: UNVEIL_REFERENCE names no folder of them,",
    "or unveil is not installed\n")
  quit(status = 0)
}

golden <- jsonlite::fromJSON(file.path(folder, "golden.json"), simplifyVector = FALSE)
files <- new.env()
file_of <- function(name) {
  if (is.null(files[[name]]))
    files[[name]] <- read.csv(file.path(folder, name), na.strings = "", stringsAsFactors = TRUE,
      check.names = FALSE, encoding = "UTF-8")
  files[[name]]
}
compared <- 0
largest <- 0
agree <- function(ours, theirs, what) {
  theirs <- if (is.null(theirs)) NaN else as.numeric(theirs)
  ours <- as.numeric(ours)
  if (is.nan(ours) != is.nan(theirs)) stop(what, ": ", ours, " instead of ", theirs)
  difference <- if (is.nan(ours)) 0 else abs(ours - theirs)
  if (difference > 1e-9 * max(1, abs(theirs), na.rm = TRUE)) stop(what, ": ", ours, " instead of ", theirs)
  compared <<- compared + 1
  largest <<- max(largest, difference)
}

# The name of a group of whole numbers as unveil writes it, where synthpop has [16,28).
level_of <- function(label) {
  if (!grepl("^\\[.*[])]$", label)) return(label)
  ends <- as.numeric(strsplit(gsub("[][)]", "", label), ",")[[1]])
  if (ends[1] == 16) return(paste("under", ends[2]))
  if (grepl("]$", label)) paste(ends[1], "or more") else paste(ends[1], "to", ends[2] - 1)
}

compare_checks <- function(result, synthesis, i, aligned, what) {
  one <- synthesis$check_1way
  ours <- result$check_1way[paste("Synthesis", i), , drop = FALSE]
  if (is.null(result$check_1way)) ours <- NULL else if (is.na(ours$Level[1])) ours <- NULL
  if (aligned || !is.null(one)) {
    if (is.null(one) != is.null(ours)) stop(what, ": one-way check")
    if (!is.null(one)) {
      stopifnot(ours$Level == level_of(one$Level))
      for (name in c("All", "PctLevelAll", "nLevelDis", if (aligned) c("totalDisclosive", "PctLevelDis")))
        agree(ours[[name]], one[[name]], paste(what, name))
    }
  }
  two <- synthesis$check_2way
  if (!aligned && is.null(two)) return()
  ours <- result$check_2way[[i]]
  if (NROW(ours) != length(two)) stop(what, ": two-way checks")
  if (is.null(two)) return()
  theirs <- vapply(two, function(row)
    paste(vapply(strsplit(row$target_key_levs, "|", fixed = TRUE)[[1]], level_of, ""), collapse = "|"), "")
  order <- match(paste(theirs, vapply(two, function(row) row$key, "")), paste(ours$target_key_levs, ours$key))
  stopifnot(!anyNA(order), identical(ours$npairs, sort(ours$npairs, decreasing = TRUE)))
  for (j in seq_along(two))
    for (name in c("npairs", "key_target_total", "key_total", "PctTargetKeyLevel"))
      agree(ours[order[j], name], two[[j]][[name]], paste(what, theirs[j], name))
}

# A quick form for continuous integration: every sixth case, and all tables of many targets.
quick <- Sys.getenv("UNVEIL_TESTS") == "quick"
cases <- if (quick) golden$cases[seq(1, length(golden$cases), by = 6)] else golden$cases
for (case in cases) {
  options <- lapply(case$options, unlist)
  keys <- unlist(case$keys)
  result <- do.call(disclosure, c(list(lapply(unlist(case$syn), file_of), file_of(case$orig),
    cont.na = list(income = -8), keys = keys, target = case$target, print.flag = FALSE), options))
  excluding <- intersect(names(options), c("not.targetlev", "usetargetNA", "usekeysNA", "exclude.keys"))
  if (isTRUE(options$exclude_ov_denom_lim)) excluding <- c(excluding, "denom_lim")
  for (i in seq_along(case$syntheses)) {
    synthesis <- case$syntheses[[i]]
    aligned <- synthesis$aligned_check
    what <- paste(case$id, "synthesis", i)
    theirs <- function(part, name) if (aligned) synthesis[[part]][[name]] else synthesis$aligned_values[[name]]
    if (all(excluding == "usekeysNA"))
      for (name in names(synthesis$ident)) agree(result$ident[i, name], theirs("ident", name), paste(what, name))
    for (part in c("attrib", "allCAPs"))
      for (name in names(synthesis[[part]])) agree(result[[part]][i, name], theirs(part, name), paste(what, name))
    compare_checks(result, synthesis, i, aligned, what)
    if (length(excluding) == 0 && aligned) # compared, too, but no figures of the count
      for (table in names(synthesis$n_excluded))
        stopifnot(result$Nexclusions[[i]][table, 6] == synthesis$n_excluded[[table]][[6]])
    if (length(excluding)) {
      asked <- c(if ("not.targetlev" %in% excluding) 1, if ("usetargetNA" %in% excluding) 2,
        if ("usekeysNA" %in% excluding) 3, if ("exclude.keys" %in% excluding) 4,
        if ("denom_lim" %in% excluding) 5, 6)
      for (table in names(synthesis$n_excluded))
        if (aligned || !table %in% c("DiSCO", "DiSDiO"))
          for (reason in asked)
            agree(result$Nexclusions[[i]][table, reason], synthesis$n_excluded[[table]][[reason]],
              paste(what, table, reason))
    }
  }
  if (all(vapply(case$syntheses, function(synthesis) synthesis$aligned_check, NA)))
    stopifnot(grepl("level  \\[", case$check1) || result$check1 == case$check1, result$check2 == case$check2)
}

keys <- c("sex", "age", "region", "placesize")
five <- sprintf("s5_%d.csv", 1:5)
multi <- list(
  multi_s1_DiSCO = list("sd2011_ods.csv", "s1.csv"),
  multi_s1_DCAP = list("sd2011_ods.csv", "s1.csv", attrib.meas = "DCAP"),
  multi_s5_DiSCO = list("sd2011_ods.csv", five),
  multi_s1_ng20 = list("sd2011_ods.csv", "s1.csv", ngroups_targets = 20),
  multi_s1_notlev = list("sd2011_ods.csv", "s1.csv", not.targetslev = c("", "", "", "", "NO")),
  multi_train_DiSCO = list("train.csv", "syntrain.csv"),
  multi_train_DCAP = list("train.csv", "syntrain.csv", attrib.meas = "DCAP"),
  multi_control_DiSCO = list("control.csv", "syntrain.csv"),
  multi_control_DCAP = list("control.csv", "syntrain.csv", attrib.meas = "DCAP")
)
stopifnot(setequal(c(names(multi), "table3"), names(golden$multi)))
for (name in names(multi)) {
  call <- multi[[name]]
  result <- suppressMessages(do.call(multi.disclosure, c(
    list(lapply(call[[2]], file_of), file_of(call[[1]]), cont.na = list(income = -8), keys = keys,
      print.flag = FALSE, plot = FALSE), call[-(1:2)])))
  rows <- golden$multi[[name]]
  stopifnot(identical(rownames(result$attrib.table), vapply(rows, function(row) row$label, "")))
  agree(result$ident.orig, rows[[1]]$ident.orig, name)
  agree(result$ident.syn, rows[[1]]$ident.syn, name)
  for (i in seq_along(rows)) {
    agree(result$attrib.table$attrib.orig[i], rows[[i]]$attrib.orig, paste(name, i))
    agree(result$attrib.table$attrib.syn[i], rows[[i]]$attrib.syn, paste(name, i))
    stopifnot(result$attrib.table$check1[i] == rows[[i]]$check1, result$attrib.table$check2[i] == rows[[i]]$check2,
      result$attrib.table$Npairs[i] == rows[[i]]$Npairs)
  }
}

cat(sprintf("%d of %d figures of synthpop were compared, and are equal when called from R; the largest difference is %.1g\n",
  compared, FIGURES, largest))
stopifnot(quick || compared == FIGURES, compared > 0)
