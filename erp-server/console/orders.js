// Orders: the list, and one of them.

import { query } from "./api.js";
import { heading, link } from "./dom.js";
import { day, money, number } from "./format.js";
import { field, filter, input, select } from "./form.js";
import { words } from "./language.js";
import { filteredList } from "./list.js";
import { showOrder, status } from "./order.js";

const AT_ONCE = 50;

export const orderLink = (number) => link(`#orders/${encodeURIComponent(number)}`, number);
export const customerLink = (number) => link(`#customers/${encodeURIComponent(number)}`, number);

function columns() {
  const say = words();
  return [
    [say.order, (order) => orderLink(order.AuftNr)],
    [say.state, (order) => status(order.AuftStatus)],
    [say.date, (order) => day(order.AuftErf), "when"],
    [say.customer, (order) => [customerLink(order.KundNr), " ", order.Name], "wide"],
    [say.positions, (order) => number(order.Positionen), "amount"],
    [say.total, (order) => money(order.AuftBrutto, order.WaehrAbk), "amount"],
  ];
}

export async function show({ place, api, parts: [order], signal }) {
  if (order !== undefined) return showOrder(place, api, order, signal);
  const say = words();
  const states = [["", say.all], ["N", say.status_N], ["O", say.status_O], ["A", say.status_A], ["S", say.status_S]];
  const asked = filter(
    [
      field(say.state, select("status", states)),
      field(say.order, input("number", { inputMode: "numeric" })),
      field(say.customer, input("customer", { inputMode: "numeric" })),
      field(say.from, input("from", { type: "date" })),
      field(say.until, input("to", { type: "date" })),
    ],
    say.search,
  );
  place.append(heading(say.nav_orders, say.orders_about));
  return filteredList(place, asked, (values) => ({
    caption: say.nav_orders,
    columns: columns(),
    none: say.no_orders,
    load: async (after) => {
      const { data, next } = await api.json(`/admin/orders${query({ ...values, limit: AT_ONCE, after })}`, { signal });
      return { rows: data, next };
    },
  }));
}
