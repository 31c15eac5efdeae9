// The basket, with the totals an order of it would have.

import { articleAddress, stepper, tile } from "./catalogue.js";
import { element, find, money, nothing } from "./dom.js";
import { words } from "./language.js";
import { key, least, name, perText, stockHint, tierOf, unitText } from "./packs.js";
import { sumsOf, totalsOf } from "./totals.js";

export async function view(shop) {
  const place = element("div");
  const missing = shop.missing;
  shop.missing = undefined;
  await show(shop, place);
  const gone = missing && element("p", { className: "notice", role: "alert", textContent: words().not_for_sale(missing.join("; ")) });
  return { title: words().basket, parts: [gone, place], watch: () => show(shop, place) };
}

async function show(shop, place) {
  const { basket, pictures, list } = shop;
  if (basket.size === 0) {
    place.className = "";
    place.replaceChildren(nothing(words().basket_empty, list.address, words().shop_on));
    return;
  }
  const computed = await totalsOf(shop);
  const focused = document.activeElement?.dataset?.line;
  const lines = basket.lines.map((line, at) => lineOf(basket, pictures, line, computed.totals?.Positionen[at]?.PosPreisTotal));
  place.className = "columns";
  place.replaceChildren(
    element("ul", { id: "basket", className: "lines" }, ...lines),
    element(
      "section",
      { className: "card side" },
      element("h2", { textContent: words().summary }),
      element("div", { id: "sums", role: "status" }, ...sumsOf(computed)),
      element("a", { className: "button main", href: "#checkout", textContent: words().checkout }),
      element("a", { href: list.address, textContent: words().shop_on }),
    ),
  );
  if (focused) place.querySelector(`[data-line="${CSS.escape(focused)}"]`)?.focus();
}

function lineOf(basket, pictures, { offer, count }, total) {
  const { article } = offer;
  const href = articleAddress(article.ArtNr);
  const counter = stepper(words().count_of(name(offer)), count, least(offer), (value) => basket.set(offer, value), (value) => stockHint(offer, value));
  counter.querySelector("input").dataset.line = key(offer);
  const remove = element("button", {
    type: "button",
    className: "quiet",
    textContent: words().remove,
    "aria-label": words().remove_named(name(offer)),
    onclick: () => {
      basket.remove(offer);
      find("#main").focus({ preventScroll: true });
    },
  });
  const tier = tierOf(offer, count);
  const each = tier === undefined ? "" : `${money(tier.PreisList, offer.currency)} ${perText(offer, tier)}`;
  return element(
    "li",
    { className: "line" },
    element("a", { href, tabIndex: -1, "aria-hidden": "true" }, tile(article, pictures)),
    element(
      "div",
      { className: "line-text" },
      element("a", { className: "line-name", href, textContent: name(offer) }),
      element("p", { className: "hint", textContent: `${article.ArtNr} · ${unitText(offer)}` }),
      element("p", { className: "hint", textContent: each }),
    ),
    counter,
    element("p", { className: "line-sum", textContent: total === undefined ? "" : money(total) }),
    remove,
  );
}
