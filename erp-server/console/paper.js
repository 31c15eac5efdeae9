// An order on paper: as it was placed, as a list for who picks it, and as the note that goes with the goods.

import { address, quantity } from "./address.js";
import { path } from "./api.js";
import { element } from "./dom.js";
import { day, dayOrTime, money, number, unitPrice } from "./format.js";
import { words } from "./language.js";
import { facts, table } from "./table.js";

/** Where the stock of each article of an order is; an article that is gone has none. `places` knows those of other orders. */
export async function placesOf(api, order, places = new Map()) {
  for (const article of order.Positionen.map(({ ArtNr }) => ArtNr).filter((article) => article && !places.has(article))) {
    const found = await api.get(path("www", "artikel", article)).catch((error) => (error.status === 404 ? {} : Promise.reject(error)));
    const stock = [found, ...(found.Verpackungen ?? [])].flatMap(({ Bestand }) => Bestand ?? []);
    places.set(article, [...new Set(stock.map(({ LagerOrt, Bereich }) => [LagerOrt, Bereich].filter(Boolean).join(", ")))].join("; "));
  }
  return places;
}

/** The columns of the positions, by kind of paper. */
function columns(kind, places) {
  const say = words();
  const goods = [
    [say.position, (one) => number(one.VisPosNr ?? one.PosNr)],
    [say.article, (one) => one.ArtNr],
    [say.name, (one) => one.PosBez, "wide"],
    [say.count, quantity, "amount"],
  ];
  if (kind === "picking") return [[say.place, (one) => places.get(one.ArtNr)], ...goods, ["✓", () => "☐"]];
  if (kind === "delivery") return goods;
  return [...goods, [say.price, (one) => unitPrice(one.PosPreisEinzel, one), "amount"], [say.sum, (one) => money(one.PosPreisTotal), "amount"]];
}

/** An order for paper; `kind` is `order`, `picking` or `delivery`. */
export function paper(api, { GrundDaten: head, Adressen: all, Positionen }, kind, { Name, places, sums }) {
  const say = words();
  const placeOf = ({ ArtNr }) => places.get(ArtNr) ?? "";
  const positions = places ? Positionen.toSorted((one, other) => placeOf(one).localeCompare(placeOf(other))) : Positionen;
  return element(
    "section",
    { className: "paper" },
    element("p", { className: "hint", textContent: api.company ?? "" }),
    address(all?.LiefAdr ?? all?.KontaktAdr ?? {}),
    element("h1", { textContent: `${say[`paper_${kind}`]} ${head.AuftNr}` }),
    facts([
      [say.date, day(head.AuftBestellT)],
      [say.customer, [head.KundNr, Name].filter(Boolean).join(" ")],
      [say.their_number, head.AuftBestellNr],
      [say.reference, head.AuftBestellRef],
      [say.delivery_date, dayOrTime(head.AuftLieferT)],
      [say.order_comment, head.AuftKomment],
    ]),
    table(say.positions, columns(kind, places), positions).frame,
    sums,
  );
}

/** Prints papers, each on sheets of its own. */
export function printed(papers) {
  document.body.append(...papers);
  try {
    if (papers.length > 0) globalThis.print();
  } finally {
    for (const one of papers) one.remove();
  }
}
