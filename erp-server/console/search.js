// One search over orders, customers and articles.

import { query } from "./api.js";
import { card, heading, link, paragraph } from "./dom.js";
import { run } from "./form.js";
import { words } from "./language.js";
import { table } from "./table.js";

const AT_MOST = 10;
/** What an order number may be; other digits are those of a phone or of an EAN, which the server refuses as one. */
const ORDER = /^[1-9]\d{0,9}$/;

/** What each list finds: its screen, the request, and a line as `[number, text]`. */
function lists(asked) {
  const say = words();
  const found = { limit: AT_MOST };
  return [
    [say.nav_orders, "orders", ORDER.test(asked) && `/admin/orders${query({ ...found, number: asked })}`, (one) => [one.AuftNr, `${say[`status_${one.AuftStatus}`]} · ${one.Name}`]],
    [say.nav_customers, "customers", `/admin/customers${query({ ...found, search: asked })}`, (one) => [one.KundNr, [one.Name, one.OrtName].filter(Boolean).join(", ")]],
    [say.nav_articles, "articles", `/www/artikel${query({ ...found, suche: asked, fields: "ArtNr,ArtBez" })}`, (one) => [one.ArtNr, one.ArtBez]],
  ];
}

export async function show({ place, api, parts: [asked = ""], signal }) {
  const say = words();
  place.append(heading(say.search_title(asked), ""));
  const cards = lists(asked).filter(([, , path]) => path).map(([title, screen, path, line]) => {
    const hint = paragraph(say.searching, "hint");
    const shown = card(title, hint);
    const columns = [
      [say.number, (one) => link(`#${screen}/${encodeURIComponent(line(one)[0])}`, line(one)[0])],
      [say.name, (one) => line(one)[1], "wide"],
    ];
    const read = run(shown, async () => {
      const rows = await api.get(path, signal).catch((error) => (error.code === "too_broad" ? [] : Promise.reject(error)));
      shown.append(rows.length > 0 ? table(title, columns, rows).frame : paragraph(say.nothing_found, "hint"));
    }).finally(() => hint.remove());
    return { shown, read };
  });
  place.append(...cards.map(({ shown }) => shown));
  await Promise.all(cards.map(({ read }) => read));
}
