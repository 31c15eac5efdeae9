// An order as the server tells it.

import { element, facts, money, number, table, time } from "./dom.js";
import { words } from "./language.js";
import { sums } from "./basket.js";

function address(lines) {
  if (lines === undefined) return undefined;
  const person = [lines.AdrVorname, lines.AdrName].filter(Boolean).join(" ");
  const town = [lines.OrtLand, lines.OrtPLZ, lines.OrtName].filter(Boolean).join(" ");
  const all = [lines.AdrFirma, lines.AdrFirma2, person, lines.AdrAdresse1, lines.AdrAdresse2, town];
  return all.filter(Boolean).flatMap((line) => [line, element("br")]);
}

function quantity(one) {
  if (one.VPEAnzBest === undefined) return number(one.PosAnzBest);
  const packs = `${number(one.VPEAnzBest)} ${one.VPEinheit}`;
  return one.VPEAnzBest === one.PosAnzBest ? packs : `${packs} (${number(one.PosAnzBest)})`;
}

/** The order with its positions and totals. `shown` is what the basket said it would be, if anything. */
export function orderView(order, shown, again) {
  const { GrundDaten: head, Adressen: places, Positionen: lines } = order;
  const heads = [words().position, words().article, words().quantity, words().price, words().sum];
  const rows = lines.map((one) => [
    String(one.PosNr),
    [element("span", { textContent: one.PosBez }), element("small", { textContent: ` ${one.ArtNr}` })],
    quantity(one),
    money(one.VPEPreisEinzel ?? one.PosPreisEinzel),
    money(one.PosPreisTotal),
  ]);
  const title = element("h2", { id: "order-title", tabIndex: -1, textContent: words().ordered(head.AuftNr) });
  return element(
    "article",
    { className: "card order", "aria-labelledby": "order-title" },
    title,
    element("p", { textContent: words().thanks }),
    facts([
      [words().order_time, time(head.AuftBestellTUTC)],
      [words().order_state, words().states[head.AuftStatus] ?? head.AuftStatus],
      [words().contact, address(places.KontaktAdr)],
      [words().delivered_to, address(places.LiefAdr)],
      [words().billed_to, address(places.RechAdr)],
    ]),
    table(words().ordered(head.AuftNr), heads, rows, ["nr", "wide", "amount", "amount", "amount"]),
    sums(head, order.MWSTRekapitulation),
    compared(head, shown),
    element("button", { type: "button", className: "main", textContent: words().order_new, onclick: again }),
  );
}

function compared(head, shown) {
  if (shown === undefined) return undefined;
  const same = ["AuftNetto", "AuftWUST", "AuftBrutto"].every((name) => head[name] === shown[name]);
  const text = same ? words().same_totals : words().other_totals(money(shown.AuftBrutto, shown.WaehrAbk));
  return element("p", { className: same ? "good" : "notice", textContent: text });
}
