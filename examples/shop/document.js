// An order or offer as a document that can be printed.

import { element, facts, money, number, table } from "./dom.js";
import { refusal, words } from "./language.js";

/** The company on documents; the interface does not name it to a shop. */
const SELLER = { name: "Muster & Söhne AG", lines: ["Musterstrasse 1", "CH 8001 Zürich"], vat: "CHE-000.000.000 MWST" };

/** An address of a document as lines. */
export function addressLines(lines) {
  if (lines === undefined) return undefined;
  const person = [lines.AdrVorname, lines.AdrName].filter(Boolean).join(" ");
  const town = [lines.OrtLand, lines.OrtPLZ, lines.OrtName].filter(Boolean).join(" ");
  const all = [lines.AdrFirma, lines.AdrFirma2, person, lines.AdrAdresse1, lines.AdrAdresse2, town];
  return all.filter(Boolean).flatMap((line) => [line, element("br")]);
}

/** Codes of packages are in capitals; a person reads a word. */
export const packName = (code) => code.slice(0, 1) + code.slice(1).toLowerCase();

export function quantity(one) {
  if (one.VPEAnzBest === undefined) return number(one.PosAnzBest);
  const packs = `${number(one.VPEAnzBest)} ${packName(one.VPEinheit)}`;
  return one.VPEAnzBest === one.PosAnzBest ? packs : `${packs} (${number(one.PosAnzBest)})`;
}

/** The sums below positions, of a basket or a document. */
export function sums(header, recap) {
  const rows = [[words().net, header.AuftNetto]];
  if (header.AuftLiefKost) rows.push([words().delivery, header.AuftLiefKost]);
  for (const entry of recap) {
    const basis = money(entry.PosBetragNetto);
    rows.push([words().tax_of(number(entry.PosWUSTSatz), basis), entry.PosWUST]);
  }
  const lines = rows.map(([label, amount]) => sum(label, money(amount)));
  const last = sum(words().total, money(header.AuftBrutto, header.WaehrAbk));
  last.className = "total";
  return element("dl", { className: "sums" }, ...lines, last);
}

function sum(label, text) {
  const amount = element("dd", { textContent: text });
  return element("div", {}, element("dt", { textContent: label }), amount);
}

export function problemList(problems) {
  const lines = problems.map((problem) => element("li", { textContent: refusal(problem) }));
  return element("ul", { className: "problems" }, ...lines);
}

/** Head, addresses, positions and sums. `quantityOf` writes the quantity of a position. */
export function documentCard(title, pairs, { GrundDaten: head, Adressen: places = {}, Positionen, MWSTRekapitulation }, quantityOf = quantity) {
  const heads = [words().position, words().article, words().quantity, words().price, words().sum];
  const rows = Positionen.map((one) => [
    String(one.VisPosNr ?? one.PosNr),
    [element("span", { textContent: one.PosBez }), element("small", { textContent: ` ${one.ArtNr ?? ""}` })],
    quantityOf(one),
    money(one.VPEPreisEinzel ?? one.PosPreisEinzel),
    money(one.PosPreisTotal),
  ]);
  const { name, lines, vat } = SELLER;
  return element(
    "article",
    { className: "card order", "aria-label": title },
    facts([
      ...pairs,
      [words().terms, head.KundBedBez ?? words().payment_terms[head.KundBedTyp]],
      [words().your_reference, head.AuftBestellRef],
      [words().comment, head.AuftKomment],
      [words().contact, addressLines(places.KontaktAdr)],
      [words().delivered_to, addressLines(places.LiefAdr)],
      [words().billed_to, addressLines(places.RechAdr)],
      [words().seller, [name, ...lines, `${words().vat} ${vat}`].flatMap((line) => [line, element("br")])],
    ]),
    table(words().lines, heads, rows, ["nr", "wide", "amount", "amount", "amount"]),
    sums(head, MWSTRekapitulation),
  );
}

export const printButton = () =>
  element("button", { type: "button", className: "no-print", textContent: words().print, onclick: () => print() });
