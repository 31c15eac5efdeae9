// Stock: articles of which little is left, and those that cannot be sold.

import { query } from "./api.js";
import { badge, card, element, heading, link } from "./dom.js";
import { number } from "./format.js";
import { field, filter, input, run } from "./form.js";
import { words } from "./language.js";
import { filteredList } from "./list.js";
import { facts } from "./table.js";

const articleLink = (number) => link(`#articles/${encodeURIComponent(number)}`, number);

/** The articles that cannot be sold, by reason, with some of them as examples. */
function unsellableCard({ unsellable }) {
  const say = words();
  const reasons = [
    [say.no_price, unsellable.noPrice],
    [say.no_tax_rate, unsellable.noTaxRate],
    [say.hidden_articles, unsellable.hidden],
    [say.inactive_articles, unsellable.inactive],
  ].filter(([, { count }]) => count > 0);
  const shown = ({ count, examples }) => [`${number(count)}: `, ...examples.flatMap((one) => [articleLink(one), " "]), count > examples.length ? "…" : ""];
  return card(say.unsellable, reasons.length === 0 ? element("p", { textContent: say.all_sellable }) : facts(reasons.map(([reason, counted]) => [reason, shown(counted)])));
}

export async function show({ place, api, signal }) {
  const say = words();
  const columns = [
    [say.article, (one) => articleLink(one.ArtNr), "", undefined, (one) => one.ArtNr],
    [say.name, (one) => one.ArtBez, "wide", undefined, (one) => one.ArtBez],
    [say.unit, (one) => one.Einheit, "", undefined, (one) => one.Einheit],
    [say.available, (one) => (one.available < 0 ? badge(number(one.available), "wrong") : number(one.available)), "amount", undefined, (one) => one.available],
  ];
  const asked = filter([field(say.at_most, input("max", { type: "number", min: 0, value: "0" }), say.at_most_hint)], say.search);
  const unsellable = element("div");
  place.append(heading(say.nav_stock, say.stock_about), unsellable);
  run(unsellable, async () => unsellable.append(unsellableCard(await api.get("/admin/stats", signal))));
  await filteredList(place, asked, (values) => ({
    caption: say.nav_stock,
    columns,
    none: say.enough_stock,
    file: { name: "stock" },
    load: (after, limit) => api.json(`/admin/stock${query({ ...values, limit, after })}`, { signal }),
  }), signal);
}
