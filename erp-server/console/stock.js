// Stock: articles of which little is left, and those that cannot be sold.

import { query } from "./api.js";
import { badge, element, heading, link } from "./dom.js";
import { number } from "./format.js";
import { field, filter, input, run } from "./form.js";
import { words } from "./language.js";
import { filteredList } from "./list.js";
import { unsellableCard } from "./state.js";

export async function show({ place, api, signal }) {
  const say = words();
  const columns = [
    [say.article, (one) => link(`#articles/${encodeURIComponent(one.ArtNr)}`, one.ArtNr)],
    [say.name, (one) => one.ArtBez, "wide"],
    [say.unit, (one) => one.Einheit],
    [say.available, (one) => (one.available < 0 ? badge(number(one.available), "wrong") : number(one.available)), "amount"],
  ];
  const file = { name: "stock", columns: [[say.article, (one) => one.ArtNr], [say.name, (one) => one.ArtBez], [say.unit, (one) => one.Einheit], [say.available, (one) => one.available]] };
  const asked = filter([field(say.at_most, input("max", { type: "number", min: 0, value: "0" }), say.at_most_hint)], say.search);
  const unsellable = element("div", { className: "stack" });
  place.append(heading(say.nav_stock, say.stock_about));
  await filteredList(place, asked, (values) => ({
    caption: say.nav_stock,
    columns,
    none: say.enough_stock,
    file,
    load: async (after, limit) => {
      const { data, next } = await api.json(`/admin/stock${query({ ...values, limit, after })}`, { signal });
      return { rows: data, next };
    },
  }), signal);
  place.append(unsellable);
  await run(unsellable, async () => unsellable.append(unsellableCard(await api.get("/admin/stats", signal))));
}
