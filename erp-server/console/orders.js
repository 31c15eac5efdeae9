// Orders: the list, and one of them.

import { query } from "./api.js";
import { element, heading, link } from "./dom.js";
import { day, money, number } from "./format.js";
import { button, confirmed, field, filter, input, run, select } from "./form.js";
import { words } from "./language.js";
import { filteredList } from "./list.js";
import { BUTTON, NEXT, showOrder, status } from "./order.js";

/** The most orders that are moved at once: those of one request. */
const MOST_MOVED = 1_000;

export const orderLink = (number) => link(`#orders/${encodeURIComponent(number)}`, number);
export const customerLink = (number) => link(`#customers/${encodeURIComponent(number)}`, number);

function columns(mover) {
  const say = words();
  return [
    [say.chosen, mover.box, "nr"],
    [say.order, (order) => orderLink(order.AuftNr)],
    [say.state, mover.state],
    [say.date, (order) => day(order.AuftErf), "when"],
    [say.customer, (order) => [customerLink(order.KundNr), " ", order.Name], "wide"],
    [say.positions, (order) => number(order.Positionen), "amount"],
    [say.total, (order) => money(order.AuftBrutto, order.WaehrAbk), "amount"],
  ];
}

function fileColumns() {
  const say = words();
  return [
    [say.order, (order) => order.AuftNr],
    [say.state, (order) => say[`status_${order.AuftStatus}`]],
    [say.date, (order) => order.AuftErf],
    [say.customer, (order) => order.KundNr],
    [say.name, (order) => order.Name],
    [say.positions, (order) => order.Positionen],
    [say.total, (order) => order.AuftBrutto],
    [say.currency, (order) => order.WaehrAbk],
  ];
}

/** Moves the orders that are chosen in the list on: each has a box, and its state is drawn again. */
function mover(api) {
  const say = words();
  const rows = new Map();
  const row = (order) => {
    if (!rows.has(order.AuftNr)) rows.set(order.AuftNr, { box: input("", { type: "checkbox" }), state: status(order.AuftStatus) });
    return rows.get(order.AuftNr);
  };
  const said = element("span", { className: "hint", role: "status" });
  const chosen = () => [...rows].filter(([, { box }]) => box.checked).map(([number]) => number);
  const moves = NEXT.N.map((to) => button(say[`move_${to}`], () => run(bar, () => move(to)), BUTTON[to] ?? ""));
  const all = input("", { type: "checkbox" });
  const bar = element("div", {}, element("div", { className: "row" }, element("label", {}, all, " ", say.choose_all), ...moves, said));
  const count = () => {
    const { length } = chosen();
    for (const one of moves) one.disabled = length === 0;
    said.textContent = length === 0 ? "" : say.orders_chosen(length);
  };
  const choose = (is) => {
    let left = is ? MOST_MOVED : 0;
    for (const { box } of rows.values()) box.checked = !box.disabled && left-- > 0;
    count();
  };
  const chooseAll = (readOn) => async () => {
    all.disabled = true;
    try {
      if (all.checked) await readOn(MOST_MOVED);
    } finally {
      all.disabled = false;
      choose(all.checked);
    }
  };
  count();

  async function move(to) {
    const orders = chosen();
    if (to === "A" && !(await confirmed(say.sure_complete_all(orders.length), say.move_A))) return;
    if (to === "S" && !(await confirmed(say.sure_cancel_all(orders.length), say.move_S, say.keep_orders))) return;
    const outcomes = await api.change("POST", "/admin/orders/status", { status: to, orders });
    const failed = outcomes.filter(({ outcome }) => outcome === "problem");
    for (const { AuftNr, outcome } of outcomes) {
      if (outcome !== "problem") draw(AuftNr, to);
    }
    all.checked = false;
    choose(false);
    said.textContent = say.orders_moved(orders.length - failed.length);
    if (failed.length > 0) throw new Error(failed.map(({ AuftNr, message }) => `${AuftNr}: ${message}`).join(" · "));
  }

  function draw(number, to) {
    const known = rows.get(number);
    const now = status(to);
    known.state.replaceWith(now);
    known.state = now;
    known.box.disabled = NEXT[to].length === 0;
  }
  return {
    actions: (readOn) => {
      all.addEventListener("change", () => run(bar, chooseAll(readOn)));
      return bar;
    },
    box: (order) => {
      const { box } = row(order);
      box.ariaLabel = say.choose_order(order.AuftNr);
      box.disabled = (NEXT[order.AuftStatus] ?? []).length === 0;
      box.addEventListener("change", count);
      return box;
    },
    state: (order) => row(order).state,
  };
}

/** The number of the customer who was asked for by number or by name; nothing when there is not exactly one. */
async function customerOf(api, asked, signal) {
  if (/^\d*$/.test(asked)) return asked;
  const { data, next } = await foundCustomers(api, asked, { limit: 2 }, signal).catch((error) => (error.code === "too_broad" ? {} : Promise.reject(error)));
  return data?.length === 1 && !next ? data[0].KundNr : undefined;
}

const foundCustomers = (api, search, page, signal) => api.json(`/admin/customers${query({ search, ...page })}`, { signal });

/** The customers of a name, each with a link to the orders that were asked for. */
function customers(api, values, signal) {
  const say = words();
  return {
    caption: say.nav_customers,
    columns: [
      [say.customer, ({ KundNr: customer }) => link(`#orders${query({ ...values, customer })}`, customer)],
      [say.name, (one) => one.Name, "wide"],
      [say.town, (one) => [one.OrtLand, one.OrtName].filter(Boolean).join(" ")],
    ],
    none: say.no_customers,
    load: async (after, limit) => {
      const { data, next } = await foundCustomers(api, values.customer, { limit, after }, signal);
      return { rows: data, next };
    },
  };
}

export async function show({ place, api, parts: [order], signal }) {
  if (order !== undefined) return showOrder(place, api, order, signal);
  const say = words();
  const states = [["", say.all], ["N", say.status_N], ["O", say.status_O], ["A", say.status_A], ["S", say.status_S]];
  const asked = filter(
    [
      field(say.state, select("status", states)),
      field(say.order, input("number", { inputMode: "numeric" })),
      field(say.customer, input("customer", { maxLength: 80 }), say.customer_hint),
      field(say.their_number, input("reference", { maxLength: 36 })),
      field(say.from, input("from", { type: "date" })),
      field(say.until, input("to", { type: "date" })),
    ],
    say.search,
  );
  place.append(heading(say.nav_orders, say.orders_about));
  const shown = (values, moves) => ({
    caption: say.nav_orders,
    columns: columns(moves),
    actions: moves.actions,
    none: say.no_orders,
    file: { name: "orders", columns: fileColumns() },
    load: async (after, limit) => {
      const { data, next } = await api.json(`/admin/orders${query({ ...values, limit, after })}`, { signal });
      return { rows: data, next };
    },
  });
  return filteredList(place, asked, async (values) => {
    const customer = await customerOf(api, values.customer, signal);
    return customer === undefined ? customers(api, values, signal) : shown({ ...values, customer }, mover(api));
  }, signal);
}
