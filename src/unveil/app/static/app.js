// Comforts only: every page reads, and every form posts, without this file. Nothing is stored.
const boxes = (fieldset) => [...fieldset.querySelectorAll("input[name=f]:not(:disabled)")];
document.addEventListener("change", (event) => {
  const box = event.target, fieldset = box.closest("fieldset");
  if (box.matches("[data-all]")) boxes(fieldset).filter((one) => !one.closest(".sub") || "each" in fieldset.dataset).forEach((one) => { one.checked = box.checked; });
  if (box.name === "f") {
    if ("each" in fieldset.dataset) fieldset.querySelectorAll(`[data-of="${box.value}"] input[name=f]:not(:disabled)`).forEach((one) => { one.checked = box.checked; });
    const all = boxes(fieldset).filter((one) => !one.closest(".sub")), n = all.filter((one) => one.checked).length, head = fieldset.querySelector("[data-all]");
    if (head) { head.checked = n === all.length; head.indeterminate = n > 0 && n < all.length; }
  }
}, true);
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent).then(() => { const was = button.textContent; button.textContent = "Copied"; setTimeout(() => { button.textContent = was; }, 1200); });
});
// j and k walk through the flags, x ticks: as in a mail program. Not while typing.
document.addEventListener("keydown", (event) => {
  if (!["j", "k", "x"].includes(event.key) || event.target.matches("input:not([type=checkbox]),textarea,select") || event.ctrlKey || event.metaKey || event.altKey) return;
  const open = [...document.querySelectorAll("details[open] input[name=f]:not(:disabled)")], at = open.indexOf(document.activeElement);
  if (!open.length) return;
  if (event.key === "x") { if (at >= 0) open[at].click(); } else open[Math.min(Math.max(at + (event.key === "j" ? 1 : -1), 0), open.length - 1)].focus();
});
document.addEventListener("htmx:afterRequest", () => { const file = document.querySelector(".drop input[type=file]"); if (file) file.value = ""; }); // its cells are in the text by now
// Tables of counts: the table to publish goes to the clipboard as a spreadsheet takes it; a workbook can be dropped.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy-table]");
  if (!button) return;
  const rows = [...document.getElementById(button.dataset.copyTable).rows].map((row) => [...row.cells].map((cell) => { const text = cell.firstChild ? cell.firstChild.textContent : ""; return /^[\d,]+$/.test(text) ? text.replaceAll(",", "") : text; }).join("\t"));
  navigator.clipboard.writeText(rows.join("\n")).then(() => { const was = button.textContent; button.textContent = "Copied"; setTimeout(() => { button.textContent = was; }, 1200); });
});
document.addEventListener("input", (event) => { const out = event.target.dataset.out; if (out) document.getElementById(out).textContent = event.target.value; });
document.addEventListener("dragover", (event) => { if (event.target.closest("[data-drop],.drop")) event.preventDefault(); });
document.addEventListener("drop", (event) => {
  if (!event.target.closest("[data-drop],.drop")) return;
  event.preventDefault();
  const input = document.querySelector(".drop input[type=file]");
  input.files = event.dataTransfer.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
});
// An answer that does not come is told; the next one that comes takes the notice away.
for (const [name, isGone] of [["htmx:sendError", true], ["htmx:timeout", true], ["htmx:beforeOnLoad", false]]) document.addEventListener(name, () => { document.getElementById("gone").hidden = !isGone; });
