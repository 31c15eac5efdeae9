// One order: who, what, how much, and its way from new to completed.

import { path } from "./api.js";
import { badge, card, element, heading, link } from "./dom.js";
import { money, number, time } from "./format.js";
import { button, confirmed, run } from "./form.js";
import { words } from "./language.js";
import { facts, table } from "./table.js";

/** The states that follow each state. */
const NEXT = { N: ["O", "A"], O: ["A"], A: [] };

export const status = (letter) => badge(words()[`status_${letter}`] ?? letter, letter === "A" ? "good" : "");

/** An address in lines. */
export function address(from) {
  const person = [from.AdrVorname, from.AdrName].filter(Boolean).join(" ");
  const town = [from.OrtLand, from.OrtPLZ, from.OrtName].filter(Boolean).join(" ");
  const lines = [from.AdrFirma, person, from.AdrAdresse1, from.AdrAdresse2, town, from.EmailAdress, from.AdrTf1];
  return element("address", {}, lines.filter(Boolean).map((text) => element("span", { textContent: text })));
}

function positions(order) {
  const say = words();
  const columns = [
    [say.position, (one) => number(one.VisPosNr ?? one.PosNr), "nr"],
    [say.article, (one) => link(`#articles/${encodeURIComponent(one.ArtNr)}`, one.ArtNr)],
    [say.name, (one) => one.PosBez, "wide"],
    [say.count, (one) => quantity(one), "amount"],
    [say.price, (one) => money(one.PosPreisEinzel), "amount"],
    [say.discount, (one) => (one.GRabSatz ? `${number(one.GRabSatz)} %` : ""), "amount"],
    [say.tax, (one) => `${number(one.WUSTSatz)} %`, "amount"],
    [say.sum, (one) => money(one.PosPreisTotal), "amount"],
  ];
  return card(say.positions, table(say.positions, columns, order.Positionen).frame);
}

function quantity(one) {
  const pack = one.VPEinheit ? ` (${number(one.VPEAnzBest)} ${one.VPEinheit})` : "";
  return `${number(one.PosAnzBest)}${pack}`;
}

function sums({ GrundDaten: head, MWSTRekapitulation: taxes }) {
  const say = words();
  const lines = [
    [say.net, money(head.AuftNetto)],
    ...(taxes ?? []).map((tax) => [`${tax.PosWUSTBez ?? say.tax} ${number(tax.PosWUSTSatz)} %`, money(tax.PosWUST)]),
    [say.delivery, head.AuftLiefKost ? money(head.AuftLiefKost) : ""],
    [say.total, money(head.AuftBrutto, head.WaehrAbk)],
  ];
  return card(say.totals, facts(lines, "sums"));
}

function about({ GrundDaten: head, Zahlung: payments }) {
  const say = words();
  return card(
    say.order_facts,
    facts([
      [say.state, status(head.AuftStatus)],
      [say.customer, link(`#customers/${encodeURIComponent(head.KundNr)}`, head.KundNr)],
      [say.ordered, time(head.AuftBestellT)],
      [say.title_text, head.AuftBez],
      [say.their_number, head.AuftBestellNr],
      ...(payments ?? []).map((one) => [one.Bezeichnung, one.Wert]),
    ]),
  );
}

function addresses({ Adressen: all }) {
  const say = words();
  const kinds = [["KontaktAdr", say.contact], ["LiefAdr", say.delivered_to], ["RechAdr", say.billed_to]];
  const shown = kinds.filter(([kind]) => all?.[kind]).map(([kind, title]) =>
    element("div", {}, element("h3", { textContent: title }), address(all[kind])),
  );
  return card(say.addresses, element("div", { className: "facts" }, shown));
}

export async function showOrder(place, api, number, signal) {
  const draw = (order) => {
    const say = words();
    const state = order.GrundDaten.AuftStatus;
    const moves = (NEXT[state] ?? []).map((to) =>
      button(say[`move_${to}`], () => run(place, () => move(to)), to === "A" ? "" : "main"),
    );
    place.replaceChildren(
      heading(say.order_title(number), "", ...moves),
      element("div", { className: "cards" }, about(order), sums(order)),
      positions(order),
      addresses(order),
      element("p", {}, link("#orders", say.back_to_orders), " · ", link(`#audit/${encodeURIComponent(`Auftrag ${number}`)}`, say.its_changes)),
    );
  };
  const move = async (to) => {
    const say = words();
    if (to === "A" && !(await confirmed(say.sure_complete(number), say.move_A))) return;
    draw(await api.change("PUT", path("admin", "auftrag", number, "status"), { AuftStatus: to }));
  };
  draw(await api.get(path("www", "auftrag", number), signal));
}
