// Customers: find one, look at it.

import { address } from "./address.js";
import { path, query } from "./api.js";
import { badge, card, element, heading, link, paragraph } from "./dom.js";
import { day, language, money } from "./format.js";
import { button, confirmed, field, filter, input, run } from "./form.js";
import { words } from "./language.js";
import { edit, editLink } from "./edit.js";
import { filteredList } from "./list.js";
import { payments, status } from "./order.js";
import { changesLink, customerLink, orderLink } from "./orders.js";
import { facts, table } from "./table.js";

const LAST_ORDERS = 20;

const customerHash = (number) => `#customers/${encodeURIComponent(number)}`;

function columns() {
  const say = words();
  return [
    [say.customer, (one) => customerLink(one.KundNr), "", (one) => one.KundNr],
    [say.name, (one) => one.Name, "wide", (one) => one.Name],
    [say.town, (one) => [one.OrtLand, one.OrtName].filter(Boolean).join(" "), "", (one) => one.OrtName],
    [say.currency, (one) => one.WaehrAbk, "", (one) => one.WaehrAbk],
  ];
}

/** The last orders of a customer, and what those that count are worth together, by currency. */
function orders(last, number, api) {
  const say = words();
  const columns = [
    [say.order, (order) => orderLink(order.AuftNr)],
    [say.state, (order) => status(order.AuftStatus)],
    [say.date, (order) => day(order.AuftErf), "when"],
    [say.total, (order) => money(order.AuftBrutto, order.WaehrAbk), "amount"],
  ];
  const worth = Object.entries(Object.groupBy(last.filter(({ AuftStatus }) => AuftStatus !== "S"), ({ WaehrAbk }) => WaehrAbk));
  const sums = worth.map(([currency, all]) => money(all.reduce((sum, { AuftBrutto }) => sum + AuftBrutto, 0), currency));
  const links = [
    link(`#orders${query({ status: "N", customer: number })}`, say.its_new_orders),
    ...(api.may("listInvoices") ? [" · ", link(`#bills${query({ customer: number })}`, say.its_invoices)] : []),
  ];
  return card(
    say.last_orders,
    ...(last.length > 0 ? [table(say.nav_orders, columns, last).frame, paragraph(say.orders_worth(last.length, sums.join(", ") || "0"), "hint")] : [paragraph(say.no_orders, "hint")]),
    element("p", {}, links),
  );
}

function about(customer) {
  const say = words();
  return card(
    say.customer_facts,
    facts([
      [say.state, customer.status === 1 ? badge(say.active, "good") : badge(say.no_credit, "wrong")],
      [say.name, customer.KundBez],
      [say.currency, customer.WaehrAbk],
      [say.language, language(customer.AdrSprache)],
      [say.trade, customer.BrancheID],
      [say.payments, payments(customer)],
      [say.shipping, customer.VBTyp],
      [say.comment, customer.Kommentar],
      ...(customer.attributes ?? []).map((one) => [one.PHKey, one.Contents]),
    ]),
  );
}

/** The addresses by their use; the first of a list is the usual one. */
function addresses(all) {
  const say = words();
  const uses = [["KundKontakt", say.contact], ["KundLief", say.delivered_to], ["KundRech", say.billed_to]];
  const shown = uses.flatMap(([use, title]) =>
    (all[use] ?? []).map((one) => element("div", {}, element("h3", { textContent: title }), address(one))),
  );
  return card(say.addresses, element("div", { className: "facts" }, shown));
}

async function showCustomer(place, api, number, signal) {
  const say = words();
  const customer = await api.get(path("www", "kunden", number), signal);
  if (customer.KundKontakt === undefined) return place.append(heading(say.customer_title(number), ""), paragraph(say.customer_forgotten, "notice"));
  const [known, last] = await Promise.all([
    api.get(`/www/adressen${query({ debinr: number })}`, signal),
    api.get(`/admin/orders${query({ customer: number, limit: LAST_ORDERS })}`, signal),
  ]);
  const forget = async () => {
    if (!(await confirmed(say.sure_forget_customer(number), say.forget_customer))) return;
    await api.change("DELETE", path("admin", "kunden", number));
    place.replaceChildren();
    await showCustomer(place, api, number, signal);
  };
  const forgetting = api.may("forgetCustomer") ? [button(say.forget_customer, () => run(place, forget), "danger")] : [];
  place.append(
    heading(say.customer_title(number), customer.KundBez, ...changesLink(api, `Kunde ${number}`), ...editLink(api, `${customerHash(number)}/edit`, say.edit), ...forgetting),
    element("div", { className: "cards" }, about(customer), orders(last, number, api)),
    addresses(known),
    element("p", {}, link("#customers", say.back_to_customers)),
  );
}

const found = (api, search, page, signal) => api.json(`/admin/customers${query({ search, ...page })}`, { signal });

/** The number of the customer who was asked for by number or by name; nothing when there is not exactly one. */
export async function customerOf(api, asked, signal) {
  if (/^\d*$/.test(asked)) return asked;
  const { data, next } = await found(api, asked, { limit: 2 }, signal).catch((error) => (error.code === "too_broad" ? {} : Promise.reject(error)));
  return data?.length === 1 && !next ? data[0].KundNr : undefined;
}

/** A list of the customers of a name, each with a link to `hash(number)`. */
export function namesakes(api, asked, hash, signal) {
  const say = words();
  const [, name, town] = columns();
  return {
    caption: say.nav_customers,
    columns: [[say.customer, ({ KundNr }) => link(hash(KundNr), KundNr)], name, town],
    none: say.no_customers,
    load: async (after, limit) => {
      const { data, next } = await found(api, asked, { limit, after }, signal);
      return { rows: data, next };
    },
  };
}

/** The customer as a form, or an empty one for a new customer. */
const editCustomer = (place, api, customer, signal) => edit({
  place,
  api,
  signal,
  kind: "Kunde",
  title: customer ? words().customer_title(customer) : words().new_customer,
  asked: customer ? { customer } : undefined,
  done: ({ KundNr = customer } = {}) => (KundNr ? customerHash(KundNr) : "#customers"),
});

export async function show({ place, api, parts: [customer, verb], signal }) {
  if (verb === "edit") return editCustomer(place, api, customer, signal);
  if (customer !== undefined) return showCustomer(place, api, customer, signal);
  const say = words();
  const asked = filter([field(say.search_customers, input("search", { type: "search" }), say.search_customers_hint)], say.search);
  place.append(heading(say.nav_customers, say.customers_about, ...editLink(api, "#customers//edit", say.new_customer)));
  const list = (values) => ({
    caption: say.nav_customers,
    columns: columns(),
    none: say.no_customers,
    file: { name: "customers", more: [[say.country, (one) => one.OrtLand]] },
    load: async (after, limit) => {
      const { data, next } = await found(api, values.search, { limit, after }, signal);
      return { rows: data, next };
    },
  });
  return filteredList(place, asked, list, signal);
}
