# What do synthetic data disclose about one target?

IDENT <- c("UiO", "UiS", "UiOiS", "repU")
ATTRIB <- c("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO", "max_denom", "mean_denom")
CAPS <- c("baseCAPd", "CAPd", "CAPs", "DCAP", "TCAP")
TABLES <- c("original", "synthetic", "Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO")
REASONS <- c("excluded target", "missing target", "missing in  keys", "set to exclude",
  "over denom_lim", "remaining")
PARTS <- c("short", "ident", "attrib", "allCAPs", "check_1way", "check_2way", "exclusions", "all")

disclosure <- function(object, data, ...) UseMethod("disclosure")

disclosure.default <- function(object, ...) {
  stop("disclosure() takes a synds object, a data frame or a list of data frames, not ",
    class(object)[1], ".", call. = FALSE)
}

disclosure.synds <- function(object, data, keys, target, print.flag = TRUE, denom_lim = 5,
    exclude_ov_denom_lim = FALSE, not.targetlev = NULL, usetargetNA = TRUE, usekeysNA = TRUE,
    exclude.keys = NULL, exclude.keylevs = NULL, exclude.targetlevs = NULL, ngroups_target = NULL,
    ngroups_keys = NULL, thresh_1way = c(50, 90), thresh_2way = c(4, 80), digits = 2,
    to.print = c("short"), ...) {
  call <- match.call()
  result <- disclosure.list(data_frames(object), data, object$cont.na, keys, target, print.flag,
    denom_lim, exclude_ov_denom_lim, not.targetlev, usetargetNA, usekeysNA, exclude.keys,
    exclude.keylevs, exclude.targetlevs, ngroups_target, ngroups_keys, thresh_1way, thresh_2way,
    digits, to.print, ...)
  result$call <- call
  result
}

disclosure.list <- function(object, data, cont.na = NULL, keys, target, print.flag = TRUE,
    denom_lim = 5, exclude_ov_denom_lim = FALSE, not.targetlev = NULL, usetargetNA = TRUE,
    usekeysNA = TRUE, exclude.keys = NULL, exclude.keylevs = NULL, exclude.targetlevs = NULL,
    ngroups_target = NULL, ngroups_keys = NULL, thresh_1way = c(50, 90), thresh_2way = c(4, 80),
    digits = 2, to.print = c("short"), compare.synorig = TRUE, ...) {
  call <- match.call()
  target <- column_names(target, data, "target")
  if (length(target) != 1) stop("target must be one column; see multi.disclosure().", call. = FALSE)
  pairs <- if (length(exclude.keys)) list(exclude.keys) else NULL
  results <- measure_targets(object, data, cont.na, keys, target, denom_lim, exclude_ov_denom_lim,
    not.targetlev, usetargetNA, usekeysNA, pairs, list(exclude.keylevs), list(exclude.targetlevs),
    ngroups_target, ngroups_keys, thresh_1way, thresh_2way)
  result <- results[[1]]
  if (print.flag) cat("Measured:", paste("synthesis", seq_len(nrow(result$ident)), collapse = ", "), "\n")
  structure(c(list(call = call), result, list(digits = digits, to.print = check_parts(to.print))),
    class = "disclosure")
}

disclosure.data.frame <- disclosure.list

check_parts <- function(to.print) {
  if (!all(to.print %in% PARTS))
    stop("to.print must be of: ", paste(PARTS, collapse = ", "), ".", call. = FALSE)
  to.print
}

# One call of the program for all targets; exclusions and groups are given target by target.
measure_targets <- function(object, data, cont.na, keys, targets, denom_lim, exclude_ov_denom_lim,
    notlevels, usetargetsNA, usekeysNA, pair_keys, pair_keylevs, pair_targetlevs, ngroups_targets,
    ngroups_keys, thresh_1way, thresh_2way) {
  copies <- data_frames(object)
  keys <- column_names(keys, data, "keys")
  if (length(intersect(keys, targets)))
    stop("A target must not be one of the keys.", call. = FALSE)
  encoded <- encode_data(data, copies, c(keys, targets))
  groups <- c(
    group_options(encoded, keys, ngroups_keys, "ngroups_keys"),
    group_options(encoded, targets, ngroups_targets, "ngroups_target")
  )
  rules <- c(
    level_rules(encoded, targets, notlevels),
    missing_rules(encoded, targets, usetargetsNA),
    key_rules(encoded, keys, usekeysNA),
    pair_rules(encoded, targets, keys, pair_keys, pair_keylevs, pair_targetlevs),
    if (exclude_ov_denom_lim) paste0("max-denominator=", denom_lim)
  )
  options <- c(
    if (length(groups)) rbind("--bands", groups),
    if (length(groups)) code_options(encoded, cont.na),
    if (length(rules)) rbind("--exclude", rules),
    "--one-way", paste(thresh_1way, collapse = ","),
    "--two-way", paste(thresh_2way, collapse = ",")
  )
  figures <- call_unveil(encoded, keys, targets, as.vector(options))
  results <- lapply(targets, function(target)
    one_target(figures, encoded, keys, target, length(copies), rules, nrow(data)))
  names(results) <- targets
  results
}

per_column <- function(values, columns, what) {
  if (length(values) == 1) values <- rep(values, length(columns))
  if (length(values) != length(columns))
    stop(what, " must have one value, or one for each of ", length(columns), " columns.", call. = FALSE)
  values
}

group_options <- function(encoded, columns, groups, what) {
  if (is.null(groups)) return(NULL)
  groups <- per_column(groups, columns, what)
  if (any(groups == 1)) stop(what, " must be 0 (no groups) or 2 and more.", call. = FALSE)
  asked <- columns[groups > 0]
  numeric <- vapply(asked, function(name) is_numeric_column(encoded, name), NA)
  if (any(!numeric)) message("Not a number, and not grouped: ", paste(asked[!numeric], collapse = ", "))
  asked <- asked[numeric]
  if (length(asked)) paste0(encoded$codes[asked], "=", groups[match(asked, columns)])
}

code_options <- function(encoded, cont.na) {
  options <- NULL
  for (name in intersect(names(cont.na), names(encoded$codes))) {
    codes <- stats::na.omit(as.numeric(cont.na[[name]]))
    if (length(codes) && is_numeric_column(encoded, name))
      options <- c(options, "--special-codes",
        paste0(encoded$codes[name], "=", paste(sprintf("%.15g", codes), collapse = ",")))
  }
  options
}

level_rules <- function(encoded, targets, levels) {
  if (is.null(levels)) return(NULL)
  if (length(targets) == 1) targets <- rep(targets, length(levels))
  levels <- per_column(levels, targets, "not.targetlev")
  given <- !is.na(levels) & levels != ""
  if (any(given)) mapply(function(target, level)
    paste0(encoded$codes[target], "=", encode_level(encoded, target, level)),
    targets[given], levels[given], USE.NAMES = FALSE)
}

missing_rules <- function(encoded, targets, use) {
  use <- per_column(use, targets, "usetargetNA")
  if (!any(use)) return("missing-targets")
  has <- vapply(targets, function(name) anyNA(encoded$files[[1]][[encoded$codes[name]]]), NA)
  sprintf("%s=", encoded$codes[targets[!use & has]])
}

key_rules <- function(encoded, keys, use) {
  unused <- keys[!per_column(use, keys, "usekeysNA")]
  if (length(unused)) paste0("missing-keys=", paste(encoded$codes[unused], collapse = ","))
}

pair_rules <- function(encoded, targets, keys, pair_keys, pair_keylevs, pair_targetlevs) {
  rules <- character()
  for (i in seq_along(pair_keys)) {
    key <- pair_keys[[i]]
    if (is.numeric(key)) key <- keys[key]
    if (length(unique(c(length(key), length(pair_keylevs[[i]]), length(pair_targetlevs[[i]])))) != 1)
      stop("exclude.keys, exclude.keylevs and exclude.targetlevs must be of one length.", call. = FALSE)
    if (!all(key %in% keys)) stop("exclude.keys must be among the keys.", call. = FALSE)
    for (j in seq_along(key))
      rules <- c(rules, paste0(
        encoded$codes[targets[i]], "=", encode_level(encoded, targets[i], pair_targetlevs[[i]][j]),
        "@", encoded$codes[key[j]], "=", encode_level(encoded, key[j], pair_keylevs[[i]][j])))
  }
  rules
}

# The parts of one target's result, with the names that synthpop gives them.
one_target <- function(figures, encoded, keys, target, m, rules, n) {
  code <- unname(encoded$codes[target])
  copies <- as.character(seq_len(m))
  label <- paste("Synthesis", copies)
  identity <- figures$identity[match(copies, figures$identity$copy), ]
  row <- figures$attribute[figures$attribute$target == code, ]
  row <- row[match(copies, row$copy), ]
  caps <- if (length(rules) == 0) CAPS else c(CAPS[1], paste0(CAPS[-1], "_renormalised"))
  flags <- figures$flags
  if (length(flags)) flags <- flags[flags$target == code, ]
  one_way <- lapply(copies, function(copy) one_way_table(flags, copy, encoded, target))
  two_way <- lapply(copies, function(copy) two_way_table(flags, copy, encoded, target))
  names(one_way) <- names(two_way) <- label
  list(
    ident = numbers(identity, IDENT, IDENT, label),
    attrib = numbers(row, ATTRIB, ATTRIB, label),
    allCAPs = numbers(row, caps, CAPS, label),
    check_1way = do.call(rbind, one_way),
    check1 = last_text(one_way, function(table) paste("Check ", target, " level ", table$Level)),
    check_2way = two_way,
    check2 = last_text(two_way, function(table) paste(nrow(table), "pairs need checks")),
    Nexclusions = lapply(seq_along(copies), function(i)
      excluded_table(figures$excluded, code, copies[i], counts(row[i, ], n, figures$n_synthetic[i]))),
    keys = keys, target = target, Norig = n
  )
}

numbers <- function(rows, columns, names, label) {
  values <- lapply(columns, function(column) {
    value <- if (is.null(rows[[column]])) NA else rows[[column]]
    as.numeric(unlist(ifelse(is.na(value), NaN, value)))
  })
  names(values) <- names
  data.frame(values, row.names = label, check.names = FALSE)
}

# As in synthpop, the last synthesis that raised one gives the text.
last_text <- function(tables, text) {
  raised <- Filter(Negate(is.null), tables)
  if (length(raised)) text(raised[[length(raised)]]) else ""
}

select_flags <- function(flags, copy, kind) {
  if (length(flags) == 0) return(NULL)
  found <- flags[flags$copy == copy & flags$kind == kind, ]
  if (nrow(found)) found
}

one_way_table <- function(flags, copy, encoded, target) {
  found <- select_flags(flags, copy, "one_way")
  if (is.null(found)) return(NULL)
  data.frame(Level = decode_level(encoded, target, found$level), All = found$n_all,
    PctLevelAll = found$percent_all, totalDisclosive = found$n_disclosive, nLevelDis = found$n,
    PctLevelDis = found$percent, stringsAsFactors = FALSE)
}

two_way_table <- function(flags, copy, encoded, target) {
  found <- select_flags(flags, copy, "two_way")
  if (is.null(found)) return(NULL)
  key <- names(encoded$codes)[match(found$key, encoded$codes)]
  level <- vapply(found$level, function(level) decode_level(encoded, target, level), "")
  key_level <- mapply(function(name, level) decode_level(encoded, name, level), key, found$key_level)
  data.frame(target_key_levs = paste(level, key_level, sep = "|"), npairs = found$n, key = key,
    key_target_total = found$n_level, key_total = found$n_all, PctTargetKeyLevel = found$percent,
    stringsAsFactors = FALSE, row.names = NULL)
}

# Records in each table: what remains where nothing is excluded.
counts <- function(row, n, n_synthetic) {
  of <- ifelse(TABLES == "Dsyn", n_synthetic, n)
  c(n, n_synthetic, round(as.numeric(row[TABLES[-(1:2)]]) * of[-(1:2)] / 100))
}

excluded_table <- function(excluded, code, copy, counts) {
  result <- matrix(0, length(TABLES), length(REASONS), dimnames = list(TABLES, REASONS))
  if (length(excluded) == 0) {
    result[, "remaining"] <- counts
    return(result)
  }
  rows <- excluded[excluded$target == code & excluded$copy == copy, ]
  reason <- reason_of(rows$rule)
  for (i in seq_len(nrow(rows)))
    result[, reason[i]] <- result[, reason[i]] + as.numeric(rows[i, TABLES])
  result
}

# The column of a rule, by its text.
reason_of <- function(rule) {
  reason <- ifelse(grepl("@", rule), 4, ifelse(grepl("=$|^missing-targets$", rule), 2, 1))
  reason[grepl("^missing-keys", rule)] <- 3
  reason[grepl("^max-denominator", rule)] <- 5
  reason[is.na(rule)] <- 6
  reason
}

print.disclosure <- function(x, to.print = NULL, digits = NULL, ...) {
  if (is.null(to.print)) to.print <- x$to.print
  if (is.null(digits)) digits <- x$digits
  check_parts(to.print)
  shown <- function(part) part %in% to.print || ("all" %in% to.print && part != "short")
  table <- function(title, values) {
    cat("\n", title, "\n", sep = "")
    print(format(round(values, digits), nsmall = digits), quote = FALSE)
  }
  cat("Disclosure measures for ", x$Norig, " original records\n", sep = "")
  cat("keys: ", paste(x$keys, collapse = ", "), "   target: ", x$target, "\n", sep = "")
  if (shown("short")) {
    summary <- rbind(Original = c(x$ident$UiO[1], x$attrib$Dorig[1]), cbind(x$ident$repU, x$attrib$DiSCO))
    dimnames(summary) <- list(c("Original", rownames(x$ident)),
      c("Identity (UiO/repU)", "Attribute (Dorig/DiSCO)"))
    table("Identity and attribute disclosure (% of original records)", as.data.frame(summary))
  }
  if (shown("ident")) table("Identity disclosure measures (%)", x$ident)
  if (shown("attrib")) table("Attribute disclosure measures (%)", x$attrib)
  if (shown("allCAPs")) table("Correct attribution probabilities (%)", x$allCAPs)
  if (shown("check_1way")) print_checks("One-way check", x$check_1way, digits)
  if (shown("check_2way"))
    for (name in names(x$check_2way)) print_checks(paste("Two-way checks,", name), x$check_2way[[name]], digits)
  if (shown("exclusions"))
    for (i in seq_along(x$Nexclusions)) {
      cat("\nRecords excluded, synthesis ", i, "\n", sep = "")
      print(x$Nexclusions[[i]])
    }
  if (shown("short")) print_flags(x)
  invisible(x)
}

print_checks <- function(title, table, digits) {
  cat("\n", title, "\n", sep = "")
  if (is.null(table)) cat("none above its thresholds\n") else print(table, digits = digits + 2)
}

print_flags <- function(x) {
  if (x$check1 != "") cat("\n", x$check1, ": see check_1way\n", sep = "")
  if (x$check2 != "") cat("\n", x$check2, ": see check_2way\n", sep = "")
}
