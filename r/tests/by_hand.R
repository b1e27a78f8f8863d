# Tables small enough to check on paper, names and labels that mean something to shells and parsers,
# wrong use, and whether a file stays behind.
library(unveil)

if (!nzchar(Sys.which(Sys.getenv("UNVEIL", "unveil")))) {
  cat("unveil is not installed: nothing was checked\n")
  quit(status = 0)
}

before <- list.files(tempdir(), all.files = TRUE)

# N: the synthetic data show yes, correct once and wrong once. S: both values. W: not there.
original <- data.frame(area = c("N", "N", "S", "W"), ill = c("yes", "no", "yes", "no"))
synthetic <- data.frame(area = c("N", "S", "S"), ill = c("yes", "yes", "no"))
result <- disclosure(synthetic, original, keys = "area", target = "ill", print.flag = FALSE)
stopifnot(
  result$attrib$iS == 75, result$attrib$DiS == 50, result$attrib$DiSCO == 25, result$attrib$DiSDiO == 0,
  result$attrib$Dorig == 50, result$ident$UiO == 50, result$ident$repU == 0, result$Norig == 4,
  abs(result$allCAPs$DCAP - 100 * (1 + 0 + 0.5) / 4) < 1e-12
)
printed <- capture.output(print(result, to.print = "all"), print(result))
stopifnot(any(grepl("25.00", printed)), any(grepl("Synthesis 1", printed)))

# The same with hostile names and labels, a missing value, an empty text, "01" beside "1".
hostile <- function(frame, two) {
  names(frame) <- c("a,b=\"c\"@$(id)", "--target\n<b>")
  levels <- c(N = "01", S = "1", W = ",\"'@=$(id)\n")
  values <- c(yes = "", no = NA)
  frame[[1]] <- unname(levels[frame[[1]]])
  frame[[2]] <- unname(values[frame[[2]]])
  frame
}
same <- disclosure(hostile(synthetic), hostile(original), keys = 1, target = "--target\n<b>", print.flag = FALSE)
stopifnot(identical(unlist(same$attrib), unlist(result$attrib)), identical(unlist(same$ident), unlist(result$ident)))

# A synds object is its data sets and its special codes; a list of data frames is as many copies.
people <- data.frame(age = c(20, 30, 40, -8, NA), area = c(TRUE, FALSE, TRUE, TRUE, FALSE))
synds <- structure(list(m = 2, syn = list(people, people), cont.na = list(age = -8)), class = "synds")
both <- disclosure(synds, people, keys = "area", target = "age", ngroups_target = 2, print.flag = FALSE)
plain <- disclosure(list(people, people), people, cont.na = list(age = -8), keys = "area", target = "age",
  ngroups_target = 2, print.flag = FALSE)
stopifnot(nrow(both$attrib) == 2, identical(both$attrib, plain$attrib), both$attrib$iS == c(100, 100))
many <- multi.disclosure(synds, people, keys = "area", print.flag = FALSE)
stopifnot(identical(names(many$output.list), "age"), many$ident.orig == 0, many$m == 2)
capture.output(print(many, plot = FALSE))

wrong <- function(expression, text) {
  message <- tryCatch({ expression; "" }, error = conditionMessage)
  if (!grepl(text, message, fixed = TRUE)) stop("said: ", message)
}
wrong(disclosure(synthetic, original, keys = "aera", target = "ill"), "has no column 'aera'")
wrong(disclosure(synthetic, original, keys = "ill", target = "ill"), "must not be one of the keys")
wrong(disclosure(synthetic, original, keys = "area", target = "ill", not.targetlev = "maybe"), "no level of 'ill'")
wrong(disclosure(synthetic, original, keys = "area", target = "ill", ngroups_keys = 1), "0 (no groups) or 2")
wrong(disclosure(1:3, original, keys = "area", target = "ill"), "not integer")
wrong(disclosure(list(), original, keys = "area", target = "ill"), "must be a synds object")
wrong(disclosure(synthetic[0, ], original, keys = "area", target = "ill"), "no rows")
old <- Sys.getenv("UNVEIL")
Sys.setenv(UNVEIL = "no-such-program")
wrong(disclosure(synthetic, original, keys = "area", target = "ill"), "was not found")
if (nzchar(old)) Sys.setenv(UNVEIL = old) else Sys.unsetenv("UNVEIL")

stopifnot(identical(list.files(tempdir(), all.files = TRUE), before), !file.exists("Rplots.pdf"))
cat("by hand: all as on paper, no file left behind\n")
