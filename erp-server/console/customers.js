// Customers: find one, look at it.

import { addresses } from "./address.js";
import { path, query } from "./api.js";
import { badge, card, element, heading, link, paragraph } from "./dom.js";
import { day, language, money } from "./format.js";
import { button, confirmed, field, filter, input, run } from "./form.js";
import { words } from "./language.js";
import { edit, editLink } from "./edit.js";
import { filteredList } from "./list.js";
import { payments, shipping, status } from "./order.js";
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
    [say.last_order, (one) => day(one.LetzterAuftrag), "when", (one) => one.LetzterAuftrag],
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
      [say.shipping, shipping(customer)],
      [say.comment, customer.Kommentar],
      ...(customer.attributes ?? []).map((one) => [one.PHKey, one.Contents]),
    ]),
  );
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
    addresses(known, ["KundKontakt", "KundLief", "KundRech"]),
    element("p", {}, link("#customers", say.back_to_customers)),
  );
}

const found = (api, search, page, signal) => api.json(`/admin/customers${query({ search, ...page })}`, { signal });

/** The list of a screen for the customer who was asked for by number or by name; a choice of customers when there is not exactly one. */
export async function ofCustomer(api, screen, { customer, ...values }, list, signal) {
  if (/^\d*$/.test(customer)) return list(customer, values);
  const { data, next } = await found(api, customer, { limit: 2 }, signal).catch((error) => (error.code === "too_broad" ? {} : Promise.reject(error)));
  if (data?.length === 1 && !next) return list(data[0].KundNr, values);
  const say = words();
  const [, name, town] = columns();
  return {
    caption: say.nav_customers,
    columns: [[say.customer, ({ KundNr }) => link(`${screen}${query({ ...values, customer: KundNr })}`, KundNr)], name, town],
    none: say.no_customers,
    load: (after, limit) => found(api, customer, { limit, after }, signal),
  };
}

export async function show({ place, api, parts: [customer, verb], signal }) {
  const say = words();
  if (verb === "edit") {
    const title = customer ? say.customer_title(customer) : say.new_customer;
    const done = ({ KundNr = customer } = {}) => (KundNr ? customerHash(KundNr) : "#customers");
    return edit({ place, api, signal, kind: "Kunde", title, asked: customer && { customer }, done });
  }
  if (customer !== undefined) return showCustomer(place, api, customer, signal);
  const asked = filter([field(say.search_customers, input("search", { type: "search" }), say.search_customers_hint)], say.search);
  place.append(heading(say.nav_customers, say.customers_about, ...editLink(api, "#customers//edit", say.new_customer)));
  const list = (values) => ({
    caption: say.nav_customers,
    columns: columns(),
    none: say.no_customers,
    file: { name: "customers", more: [[say.country, (one) => one.OrtLand]] },
    load: (after, limit) => found(api, values.search, { limit, after }, signal),
  });
  return filteredList(place, asked, list, signal);
}
