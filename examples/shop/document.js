// An order or offer as a document that can be printed.

import { positionTile } from "./catalogue.js";
import { COMPANY } from "./company.js";
import { element, facts, find, money, number, table } from "./dom.js";
import { refusal, words } from "./language.js";
import { packName } from "./packs.js";
import { sentence } from "./session.js";

/** An address of a document as lines. */
export function addressLines(lines) {
  if (lines === undefined) return undefined;
  const person = [lines.AdrVorname, lines.AdrName].filter(Boolean).join(" ");
  const town = [lines.OrtLand, lines.OrtPLZ, lines.OrtName].filter(Boolean).join(" ");
  const all = [lines.AdrFirma, lines.AdrFirma2, person, lines.AdrAdresse1, lines.AdrAdresse2, town];
  return all.filter(Boolean).flatMap((line) => [line, element("br")]);
}

/** An address in one line. */
export const addressText = (address) => addressLines(address).filter((line) => typeof line === "string").join(", ");

export function quantity(one) {
  if (one.VPEAnzBest === undefined) return number(one.PosAnzBest);
  const packs = `${number(one.VPEAnzBest)} ${packName(one.VPEinheit, undefined, one.VPEAnzBest)}`;
  return one.VPEAnzBest === one.PosAnzBest ? packs : `${packs} (${number(one.PosAnzBest)})`;
}

/** The price of one package, or of as many units as it is for. */
export function unitPrice({ VPEPreisEinzel, PosPreisEinzel, PosPreisBasis }) {
  if (VPEPreisEinzel !== undefined) return money(VPEPreisEinzel);
  return money(PosPreisEinzel) + (PosPreisBasis === 1 ? "" : ` ${words().per("", PosPreisBasis)}`);
}

/** The sums below positions, of a basket or a document. */
export function sums(header, recap) {
  const rows = [
    [words().net, money(header.AuftNetto)],
    [words().delivery, header.AuftLiefKost ? money(header.AuftLiefKost) : words().free],
    ...recap.map((entry) => [words().tax_of(number(entry.PosWUSTSatz), money(entry.PosBetragNetto)), money(entry.PosWUST)]),
  ];
  const lines = rows.map(([label, amount]) => sum(label, amount));
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
export function documentCard({ pictures }, title, pairs, document, quantityOf = quantity) {
  const { GrundDaten: head, Adressen: places = {}, Positionen, MWSTRekapitulation, Zahlung = [] } = document;
  const method = Zahlung.find(({ Bezeichnung }) => Bezeichnung === "payment_method")?.Wert;
  const heads = [words().position, words().article, words().quantity, words().price, words().sum];
  const rows = Positionen.map((one) => [
    String(one.VisPosNr ?? one.PosNr),
    element(
      "div",
      { className: "item" },
      one.ArtNr && positionTile(one, pictures),
      element("div", {}, element("span", { textContent: one.PosBez }), element("small", { textContent: ` ${one.ArtNr ?? ""}` })),
    ),
    quantityOf(one),
    unitPrice(one),
    money(one.PosPreisTotal),
  ]);
  const { name, lines, vat } = COMPANY;
  return element(
    "article",
    { className: "card order", "aria-label": title },
    facts([
      ...pairs,
      [words().terms, head.KundBedBez],
      [words().payment, method && (words().payments[method]?.[0] ?? method)],
      [words().your_reference, head.AuftBestellRef],
      [words().comment, head.AuftKomment],
    ]),
    facts([
      [words().contact, addressLines(places.KontaktAdr)],
      [words().delivered_to, addressLines(places.LiefAdr)],
      [words().billed_to, addressLines(places.RechAdr)],
      [words().seller, [name, ...lines, `${words().vat} ${vat}`].flatMap((line) => [line, element("br")])],
    ]),
    table(words().lines, heads, rows, ["nr", "wide", "amount", "amount", "amount"]),
    sums(head, MWSTRekapitulation),
  );
}

/** Asks before something is done: `parts`, and a button with `text`. Whether it was pressed. */
export function confirmed(title, text, ...parts) {
  const button = (value, textContent, className) => element("button", { value, textContent, className });
  const buttons = element("div", { className: "row" }, button("", words().back, ""), button("yes", text, "main"));
  const head = element("h2", { id: "question", textContent: title });
  const dialog = element("dialog", { "aria-labelledby": "question" }, element("form", { method: "dialog" }, head, ...parts, buttons));
  // A view that is left takes its question along.
  find("#live").append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
  });
}

/** Where errors of the buttons of a document are shown. */
export const problemPlace = () => element("div", { id: "document-problem", role: "alert" });

/**
 * A button. What `ask` answers with no is not done; an error of `work` is shown, as `told` names it, and `allow` enables
 * buttons again.
 */
export function action(id, textContent, { ask = () => true, work, allow, told = sentence, ...more }) {
  const button = element("button", { id, type: "button", textContent, ...more });
  button.addEventListener("click", async () => {
    if (!(await ask())) return;
    button.disabled = true;
    try {
      await work();
    } catch (error) {
      find("#document-problem")?.replaceChildren(element("p", { className: "problem", textContent: told(error) }));
      allow(button);
    }
  });
  return button;
}

export const printButton = () =>
  element("button", { type: "button", className: "no-print", textContent: words().print, onclick: () => print() });
