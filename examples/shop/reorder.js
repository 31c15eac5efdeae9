// Puts what was ordered into the basket again.

import { element } from "./dom.js";
import { words } from "./language.js";
import { exact, least, offers } from "./packs.js";
import { orMissing, sentence } from "./session.js";

/** A button that orders an order again. */
export function againButton(shop, { GrundDaten, Positionen }) {
  const button = element("button", { type: "button", textContent: words().again, "aria-label": words().again_named(GrundDaten.AuftNr) });
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await again(shop, Positionen);
    } catch (error) {
      shop.say(sentence(error));
      button.disabled = false;
    }
  });
  return button;
}

/** The basket names the positions that are no longer for sale. */
async function again(shop, positions) {
  const wanted = positions.filter(({ ArtNr }) => ArtNr);
  const articles = await Promise.all(wanted.map(({ ArtNr }) => orMissing(shop.client.readArticle(ArtNr, { debinr: shop.number }))));
  const missing = [];
  for (const [at, one] of wanted.entries()) {
    const offer = articles[at] && sameOffer(articles[at], one);
    if (offer === undefined) missing.push(one.PosBez ?? one.ArtNr);
    else shop.basket.add(offer, Math.max(least(offer), countOf(offer, one)));
  }
  shop.missing = missing.length > 0 ? missing : undefined;
  shop.go("basket");
}

/** How many packages of an offer a position has. */
function countOf({ unit, factor }, { VPEinheit, VPEAnzBest, PosAnzBest }) {
  return (unit === VPEinheit && VPEAnzBest) || exact(PosAnzBest / factor);
}

/** The package that was ordered, else one that the quantity fills. */
function sameOffer(article, one) {
  const sold = offers(article);
  return sold.find(({ unit }) => unit === one.VPEinheit) ?? sold.find((offer) => Number.isInteger(countOf(offer, one)));
}
