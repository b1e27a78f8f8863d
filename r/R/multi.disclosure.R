# What do synthetic data disclose about each of many targets?

ORIGINAL_SIDE <- c(DiSCO = "Dorig", DiSDiO = "Dorig", DCAP = "CAPd")

multi.disclosure <- function(object, data, ...) UseMethod("multi.disclosure")

multi.disclosure.default <- function(object, ...) {
  stop("multi.disclosure() takes a synds object, a data frame or a list of data frames, not ",
    class(object)[1], ".", call. = FALSE)
}

multi.disclosure.synds <- function(object, data, keys, targets = NULL, print.flag = TRUE,
    denom_lim = 5, exclude_ov_denom_lim = FALSE, not.targetslev = NULL, usetargetsNA = TRUE,
    usekeysNA = TRUE, exclude.keys = NULL, exclude.keylevs = NULL, exclude.targetlevs = NULL,
    ngroups_targets = NULL, ngroups_keys = NULL, ident.meas = "repU", attrib.meas = "DiSCO",
    thresh_1way = c(50, 90), thresh_2way = c(4, 80), digits = 2, plot = TRUE, ...) {
  call <- match.call()
  result <- multi.disclosure.list(data_frames(object), data, object$cont.na, keys, targets, print.flag,
    denom_lim, exclude_ov_denom_lim, not.targetslev, usetargetsNA, usekeysNA, exclude.keys,
    exclude.keylevs, exclude.targetlevs, ngroups_targets, ngroups_keys, ident.meas, attrib.meas,
    thresh_1way, thresh_2way, digits, plot, ...)
  result$call <- call
  result
}

multi.disclosure.list <- function(object, data, cont.na = NULL, keys, targets = NULL,
    print.flag = TRUE, denom_lim = 5, exclude_ov_denom_lim = FALSE, not.targetslev = NULL,
    usetargetsNA = TRUE, usekeysNA = TRUE, exclude.keys = NULL, exclude.keylevs = NULL,
    exclude.targetlevs = NULL, ngroups_targets = NULL, ngroups_keys = NULL, ident.meas = "repU",
    attrib.meas = "DiSCO", thresh_1way = c(50, 90), thresh_2way = c(4, 80), digits = 2, plot = TRUE,
    compare.synorig = TRUE, ...) {
  call <- match.call()
  copies <- data_frames(object)
  keys <- column_names(keys, data, "keys")
  if (is.null(targets)) targets <- setdiff(Reduce(intersect, lapply(c(list(data), copies), names)), keys)
  targets <- column_names(targets, data, "targets")
  if (!ident.meas %in% IDENT) stop("ident.meas must be of: ", paste(IDENT, collapse = ", "), ".", call. = FALSE)
  if (!attrib.meas %in% names(ORIGINAL_SIDE))
    stop("attrib.meas must be of: ", paste(names(ORIGINAL_SIDE), collapse = ", "), ".", call. = FALSE)
  results <- measure_targets(copies, data, cont.na, keys, targets, denom_lim, exclude_ov_denom_lim,
    not.targetslev, usetargetsNA, usekeysNA, exclude.keys, exclude.keylevs, exclude.targetlevs,
    ngroups_targets, ngroups_keys, thresh_1way, thresh_2way)
  if (print.flag) cat("Measured:", paste(targets, collapse = ", "), "\n")
  output <- lapply(results, function(result)
    structure(c(list(call = call), result, list(digits = digits, to.print = "short")), class = "disclosure"))
  structure(
    list(
      attrib.table = attribute_table(results, attrib.meas), keys = keys,
      ident.orig = results[[1]]$ident$UiO[1], ident.syn = results[[1]]$ident[[ident.meas]][1],
      Norig = nrow(data), denom_lim = denom_lim, exclude_ov_denom_lim = exclude_ov_denom_lim,
      digits = digits, usetargetsNA = usetargetsNA, usekeysNA = usekeysNA, ident.meas = ident.meas,
      attrib.meas = attrib.meas, m = length(copies), plot = plot, output.list = output, call = call
    ),
    class = "multi.disclosure"
  )
}

multi.disclosure.data.frame <- multi.disclosure.list

attribute_table <- function(results, measure) {
  figure <- function(result, name) mean(if (name %in% ATTRIB) result$attrib[[name]] else result$allCAPs[[name]])
  table <- data.frame(
    attrib.orig = vapply(results, figure, 0, ORIGINAL_SIDE[[measure]]),
    attrib.syn = vapply(results, figure, 0, measure),
    check1 = vapply(results, function(result) result$check1, ""),
    Npairs = vapply(results, function(result) as.numeric(result$check2 != ""), 0),
    check2 = vapply(results, function(result) result$check2, ""), stringsAsFactors = FALSE
  )
  table <- table[order(table$attrib.syn), ]
  ways <- c("", " 1way checks", " 2way checks", " 1&2way checks")
  flags <- ways[1 + (table$check1 != "") + 2 * (table$check2 != "")]
  rownames(table) <- paste0(seq_len(nrow(table)), " ", rownames(table), flags)
  table
}

print.multi.disclosure <- function(x, digits = NULL, plot = NULL, to.print = c("ident", "attrib"), ...) {
  if (is.null(digits)) digits <- x$digits
  if (is.null(plot)) plot <- x$plot
  cat("Disclosure measures for ", x$Norig, " original records\n", sep = "")
  cat("keys: ", paste(x$keys, collapse = ", "), "\n", sep = "")
  if ("ident" %in% to.print)
    cat(sprintf("\nIdentity disclosure (%% of original records)\nUiO (original)   %.*f\n%s (synthetic) %.*f\n",
      digits, x$ident.orig, x$ident.meas, digits, x$ident.syn))
  if ("attrib" %in% to.print) {
    cat("\nAttribute disclosure (% of original records): ", ORIGINAL_SIDE[[x$attrib.meas]], " and ",
      x$attrib.meas, if (x$m > 1) paste(", mean of", x$m, "syntheses"), "\n", sep = "")
    table <- x$attrib.table
    for (side in c("attrib.orig", "attrib.syn")) table[[side]] <- sprintf("%.*f", digits, table[[side]])
    print(table)
  }
  # In a script without a device R would write Rplots.pdf, which nobody asked for.
  if (plot && (interactive() || grDevices::dev.cur() > 1)) graphics::plot(x)
  invisible(x)
}

plot.multi.disclosure <- function(x, ...) {
  table <- x$attrib.table
  rows <- seq_len(nrow(table))
  old <- graphics::par(mar = c(4, 12, 4, 1))
  on.exit(graphics::par(old))
  graphics::plot(NA, xlim = c(0, 100), ylim = c(0.5, max(rows) + 0.5), yaxt = "n", ylab = "",
    xlab = "% of original records",
    main = paste("Attribute disclosure:", ORIGINAL_SIDE[[x$attrib.meas]], "and", x$attrib.meas))
  graphics::axis(2, rows, rownames(table), las = 1)
  graphics::segments(table$attrib.orig, rows, table$attrib.syn, rows, col = "grey60")
  graphics::points(table$attrib.orig, rows, pch = 16, cex = 1.5, col = "#b35806")
  graphics::points(table$attrib.syn, rows, pch = 17, cex = 1.5, col = "#2166ac")
  graphics::legend("bottomright", c("original", "synthetic"), pch = c(16, 17),
    col = c("#b35806", "#2166ac"), bty = "n")
  invisible(x)
}
