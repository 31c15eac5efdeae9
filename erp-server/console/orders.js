// Orders: the list, and one of them.

import { query } from "./api.js";
import { bulk } from "./bulk.js";
import { element, heading, link } from "./dom.js";
import { day, money, number } from "./format.js";
import { field, filter, input, run } from "./form.js";
import { words } from "./language.js";
import { filteredList, kinds } from "./list.js";
import { showOrder, status } from "./order.js";

const LONGEST = 80;
/** What an order may be: its states, and completed without an invoice. */
const STATES = ["N", "O", "A", "S"];
const TO_INVOICE = "toInvoice";

export const orderLink = (number) => link(`#orders/${encodeURIComponent(number)}`, number);

/** A link to the changes of a record, for those who may see them: editors see those of what they may import. */
export const changesLink = (api, record) => (api.may(/^(Artikel|Kunde) /.test(record) ? "listAudit" : "listUsers") ? [link(`#audit/${encodeURIComponent(record)}`, words().its_changes)] : []);
export const customerLink = (number) => link(`#customers/${encodeURIComponent(number)}`, number);
export const billLink = (number, text = number) => link(`#bills/${encodeURIComponent(number)}`, text);

/** The customer's number and name. */
export const customerNamed = ({ KundNr, Name }) => (KundNr ? [customerLink(KundNr), " ", Name] : "");

/** How many entries there are; counting ends at 1,000. */
export const counted = (count) => `${number(count)}${count === 1_000 ? "+" : ""}`;

/** The columns of orders; `shown` has what changes while they are shown. */
export function columns(shown = { state: (order) => status(order.AuftStatus), bill: (order) => order.RechNr && billLink(order.RechNr) }) {
  const say = words();
  return [
    [say.order, (order) => orderLink(order.AuftNr), "", (order) => order.AuftNr],
    [say.state, shown.state, "", (order) => say[`status_${order.AuftStatus}`]],
    [say.date, (order) => day(order.AuftErf), "when", (order) => order.AuftErf],
    [say.customer, customerNamed, "wide", (order) => order.Name],
    [say.their_number, (order) => order.AuftBestellNr, "reference", (order) => order.AuftBestellNr],
    [say.total, (order) => money(order.AuftBrutto, order.WaehrAbk), "amount", (order) => order.AuftBrutto],
    [say.invoice, shown.bill, "bill", (order) => order.RechNr],
  ];
}

export async function show({ place, api, parts: [order], signal }) {
  if (order !== undefined) return showOrder(place, api, order, signal);
  const say = words();
  const states = kinds("status", say.state, [["", say.all], ...STATES.map((state) => [state, say[`status_${state}`]]), [TO_INVOICE, say.to_invoice]]);
  const customer = field(say.customer, input("customer", { maxLength: 8 }));
  const asked = filter(
    [
      states.node,
      field(say.search_orders, input("search", { type: "search", maxLength: LONGEST }), say.search_orders_hint),
      field(say.from, input("from", { type: "date" })),
      field(say.until, input("to", { type: "date" })),
      customer,
    ],
    say.search,
  );
  const count = async () => {
    const { [TO_INVOICE]: toInvoice, ...counts } = await api.get("/admin/orders/count", signal);
    states.count("", number(Object.values(counts).reduce((sum, one) => sum + one, 0)));
    for (const state of STATES) states.count(state, number(counts[state]));
    states.count(TO_INVOICE, counted(toInvoice));
  };
  const told = element("div");
  place.append(heading(say.nav_orders, say.orders_about), told);
  run(told, count);
  return filteredList(place, asked, ({ status: state, ...values }) => {
    // Only who comes from the page of a customer sees that field.
    customer.hidden = !values.customer;
    const chosen = bulk(api, () => run(told, count), signal);
    return {
      caption: say.nav_orders,
      columns: [[say.chosen, chosen.box, "box"], ...columns(chosen)],
      actions: chosen.actions,
      none: say.no_orders,
      file: { name: "orders", more: [[say.currency, (order) => order.WaehrAbk], [say.customer_number, (order) => order.KundNr], [say.positions, (order) => order.Positionen]] },
      load: (after, limit) => {
        const kind = state === TO_INVOICE ? { toInvoice: true } : { status: state };
        return api.json(`/admin/orders${query({ ...values, ...kind, limit, after })}`, { signal });
      },
    };
  }, signal);
}
