// The orders of the customer: what they are, how they stand, and the way to order them again.

import { positionTile } from "./catalogue.js";
import { element, money, nothing, time } from "./dom.js";
import { words } from "./language.js";
import { listPage } from "./pager.js";
import { againButton } from "./reorder.js";

/** How many positions of an order are shown with their pictures. */
const SHOWN = 4;

export async function view(shop, argument, signal) {
  const { entries, pages } = await listPage(shop, "orders", argument, signal);
  // The list has no positions.
  const orders = await Promise.all(entries.map(({ AuftNr }) => shop.client.readOrder(AuftNr, { signal })));
  const cards = orders.map(({ data }) => orderCard(shop, data));
  const none = nothing(words().no_orders, "#shop", words().all_articles);
  return {
    title: words().my_orders,
    parts: [cards.length > 0 ? element("ul", { className: "documents" }, ...cards) : none, ...pages],
  };
}

function orderCard(shop, order) {
  const { GrundDaten: head, Positionen } = order;
  const articles = Positionen.filter(({ ArtNr }) => ArtNr);
  const items = articles.slice(0, SHOWN).map((one) =>
    element("li", {}, positionTile(one, shop.pictures), element("span", { textContent: one.PosBez ?? one.ArtNr })),
  );
  const more = articles.length - items.length;
  if (more > 0) items.push(element("li", {}, element("span", { className: "hint", textContent: words().more_items(more) })));
  const address = `#order/${head.AuftNr}`;
  return element(
    "li",
    { className: "card" },
    documentHead(address, words().order_number(head.AuftNr), head, words().states[head.AuftStatus] ?? head.AuftStatus),
    element("ul", { className: "items" }, ...items),
    element("div", { className: "row start" }, againButton(shop, order), element("a", { className: "button", href: address, textContent: words().details, "aria-label": words().details_of(head.AuftNr) })),
  );
}

/** Number, day, state and total of an order or offer. */
export function documentHead(address, title, head, state) {
  return element(
    "div",
    { className: "document-head" },
    element("h2", {}, element("a", { href: address, textContent: title })),
    element("span", { className: "hint", textContent: time(head.AuftErfUTC ?? head.AuftBestellTUTC) }),
    element("span", { className: "badge", textContent: state }),
    element("strong", { textContent: money(head.AuftBrutto, head.WaehrAbk) }),
  );
}
