// Shows an invoice, a PDF and the steps of its processing.

import { day, element, facts, money, number, size, table } from "./dom.js";
import { words } from "./language.js";

/** The codes of UN/ECE Recommendation 20 that most lines have; the others are shown as they are. */
const UNITS = { C62: "", H87: "", EA: "", HUR: "h", KGM: "kg", MTR: "m", MTK: "m²", LTR: "l", DAY: "d", XPP: "" };

const TOTALS = [
  "line_total",
  "charges",
  "allowances",
  "tax_basis_total",
  "tax_total",
  "grand_total",
  "prepaid",
  "payable",
];

const card = (title, ...content) =>
  element("section", { className: "card" }, element("h2", { textContent: title }), ...content);

export const profileText = (profile) => profile && [profile.standard, profile.level].filter(Boolean).join(" ");

function party(title, who) {
  if (!who) return undefined;
  const lines = [who.name && element("strong", { textContent: who.name }), ...who.lines, who.mail].filter(Boolean);
  const vat = who.vat && element("small", { textContent: `${words().vat} ${who.vat}` });
  const told = [...lines.flatMap((line) => [line, element("br")]), vat ?? ""];
  return element("div", {}, element("h3", { textContent: title }), element("p", {}, ...told));
}

function quantity(line) {
  if (line.quantity === undefined) return "";
  return [number(line.quantity), UNITS[line.unit] ?? line.unit].filter(Boolean).join(" ");
}

function price(line) {
  if (line.price === undefined) return "";
  const basis = line.priceBasis > 1 ? ` / ${number(line.priceBasis)}` : "";
  return money(line.price) + basis;
}

function lineTable(invoice) {
  if (invoice.lines.length === 0) return element("p", { className: "hint", textContent: words().no_lines });
  const { line, article, quantity: amount, price: each, tax_rate: rate, sum } = words();
  const rows = invoice.lines.map((one) => [
    one.number,
    [element("span", { textContent: one.name ?? "" }), element("small", { textContent: one.article ? ` ${one.article}` : "" })],
    quantity(one),
    price(one),
    one.rate === undefined ? "" : `${number(one.rate)} %`,
    one.total === undefined ? "" : money(one.total),
  ]);
  const kinds = ["nr", "wide", "amount", "amount", "amount", "amount"];
  return table(words().lines, [line, article, amount, each, rate, sum], rows, kinds);
}

function taxTable(invoice) {
  if (invoice.taxes.length === 0) return undefined;
  const heads = [words().tax_rate, words().tax_basis, words().tax_amount];
  const rows = invoice.taxes.map((tax) => [
    [`${tax.rate === undefined ? (tax.category ?? "") : `${number(tax.rate)} %`}`, tax.reason ? element("small", { textContent: ` ${tax.reason}` }) : ""],
    tax.basis === undefined ? "" : money(tax.basis),
    tax.amount === undefined ? "" : money(tax.amount),
  ]);
  return element("div", {}, element("h3", { textContent: words().taxes }), table(words().taxes, heads, rows, ["", "amount", "amount"]));
}

function totalList(invoice) {
  const known = TOTALS.filter((name) => invoice.totals[name] !== undefined);
  if (known.length === 0) return undefined;
  const last = known.at(-1);
  const lines = known.map((name) => {
    const amount = money(invoice.totals[name], name === last ? invoice.currency : undefined);
    return element(
      "div",
      { className: name === last ? "total" : "" },
      element("dt", { textContent: words()[name] }),
      element("dd", { textContent: amount }),
    );
  });
  return element("dl", { className: "sums" }, ...lines);
}

/** The invoice itself. */
export function invoiceCard(invoice, profile) {
  const kind = words().document_types[invoice.type] ?? invoice.name ?? words().document;
  const date = invoice.date && words().dated(day(invoice.date));
  const title = [kind, invoice.number, date].filter(Boolean).join(" ");
  return card(
    title,
    element("p", { className: "badge", textContent: profile ?? "" }),
    element(
      "div",
      { className: "parties" },
      party(words().seller, invoice.seller),
      party(words().buyer, invoice.buyer),
      party(words().ship_to, invoice.shipTo),
    ),
    facts([
      [words().reference, invoice.reference],
      [words().order_reference, invoice.order],
      [words().delivery_day, invoice.delivered && day(invoice.delivered)],
      [words().due, invoice.due && day(invoice.due)],
      [words().account, invoice.account],
      [words().terms, invoice.terms],
    ]),
    lineTable(invoice),
    element("div", { className: "ends" }, taxTable(invoice), totalList(invoice)),
    ...invoice.notes.map((note) => element("p", { className: "note", textContent: note })),
  );
}

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
  // Nothing is known about an encrypted file.
  if ((inspected.pages ?? undefined) === undefined) return element("p", { className: "hint", textContent: words().not_looked });
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
