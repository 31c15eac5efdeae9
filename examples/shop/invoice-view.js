// Shows a PDF and the steps of its processing.

import { element, facts, size, table } from "./dom.js";
import { words } from "./language.js";

const card = (title, ...content) =>
  element("section", { className: "card" }, element("h2", { textContent: title }), ...content);

export const profileText = (profile) => profile && [profile.standard, profile.level].filter(Boolean).join(" ");

function claim(inspected) {
  const { pdfa_claim: said } = inspected;
  if (!said?.part) return words().claims_nothing;
  return words().claims(`PDF/A-${said.part}${(said.conformance ?? "").toLowerCase()}`);
}

function faults(inspected) {
  const found = inspected.pdfa_faults ?? [];
  if (inspected.pdfa_unchecked) return english(element("span", { textContent: inspected.pdfa_unchecked }));
  if (found.length === 0) return words().no_faults;
  return reasonList(found);
}

/** Reasons with their clause of ISO 19005-3 and their page. */
export function reasonList(reasons) {
  const lines = reasons.map((reason) => {
    const text = typeof reason === "string" ? reason : reason.message;
    return element("li", { textContent: text });
  });
  return english(element("ul", { className: "reasons" }, ...lines));
}

/** The rules of PDF/A are only in English; a German page says so. */
function english(sentences) {
  sentences.lang = "en";
  if (document.documentElement.lang === "en") return sentences;
  return element("div", {}, element("small", { textContent: words().english }), sentences);
}

function attachmentTable(inspected) {
  const found = inspected.attachments ?? [];
  if (found.length === 0) return element("p", { className: "hint", textContent: words().no_attachments });
  const heads = [words().file_name, words().media_type, words().relationship, words().profile, words().bytes];
  const rows = found.map((one) => [
    one.file_name,
    one.media_type ?? "",
    one.relationship ?? "",
    profileText(one.invoice) ?? "",
    one.bytes === undefined || one.bytes === null ? "" : size(one.bytes),
  ]);
  return table(words().attachments, heads, rows, ["wide", "", "", "", "amount"]);
}

/** The PDF around the invoice. */
export function pdfCard(inspected) {
  return card(
    words().the_file,
    facts([
      [words().pdfa, claim(inspected)],
      [words().faults, faults(inspected)],
      [words().page_count, inspected.pages ?? ""],
      [words().bytes, size(inspected.bytes)],
      [words().version, inspected.version],
      [words().signed, inspected.signed ? words().is_signed : words().not_signed],
    ]),
    element("h3", { textContent: words().attachments }),
    attachmentTable(inspected),
  );
}

/** What became of a PDF and an XML. */
export function outcomeCard(combined, save) {
  const good = combined.outcome !== "not-claimed";
  const reasons = combined.reasons.length > 0 ? reasonList(combined.reasons) : undefined;
  return card(
    words().combine_done,
    element("p", { className: good ? "good" : "notice", textContent: words().outcomes[combined.outcome] }),
    reasons,
    facts([
      [words().profile, profileText(combined.profile)],
      [words().bytes, size(combined.pdf.length)],
    ]),
    save,
    steps(combined.steps),
  );
}

export function steps(lines) {
  const list = element("ol", {}, ...lines.map((line) => element("li", { textContent: line })));
  return element("details", {}, element("summary", { textContent: words().steps }), english(list));
}
