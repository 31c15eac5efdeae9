// An order; after it was placed with thanks.

import { documentCard, printButton } from "./document.js";
import { element, time } from "./dom.js";
import { words } from "./language.js";
import { againButton } from "./reorder.js";

export async function view(shop, number, signal) {
  const { data: order } = await shop.client.readOrder(number, { signal });
  const head = order.GrundDaten;
  const title = words().order_number(head.AuftNr);
  const text = words().thanks(head.AuftNr);
  const thanks = element("p", { className: "good no-print", role: "status", textContent: text });
  const pairs = [
    [words().order_time, time(head.AuftBestellTUTC)],
    [words().order_state, words().states[head.AuftStatus] ?? head.AuftStatus],
  ];
  const all = element("a", { className: "button", href: "#orders", textContent: words().my_orders });
  const actions = element("div", { className: "row start no-print" }, againButton(shop, order), all, printButton());
  return { title, parts: [shop.placed === head.AuftNr && thanks, documentCard(title, pairs, order), actions] };
}
