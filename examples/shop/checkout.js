// The delivery address of the basket, and the order or offer created from it.

import { AddressForm } from "./address-form.js";
import { addressLines, problemList } from "./document.js";
import { sumsOf } from "./basket-panel.js";
import { element, find, number } from "./dom.js";
import { words } from "./language.js";
import { name, unitText } from "./offers.js";
import { rememberOffer } from "./orders.js";
import { load } from "./package.js";
import { sentence } from "./session.js";

/** What an address of the customer has in common with one that is sent. */
const SENT = ["AdrSprache", "EmailAdress", "AdrAdresse1", "AdrAdresse2", "AdrAnrede", "AdrFirma", "AdrFirma2"].concat(
  ["AdrVorname", "AdrName", "AdrTelex", "AdrTf1", "AdrTf2", "AdrFax", "OrtLand", "OrtName", "OrtPLZ"],
);

export async function checkoutView(shop, _, signal) {
  const title = words().checkout;
  if (shop.basket.size === 0) {
    const back = element("a", { className: "button main", href: shop.list.address, textContent: words().shop_on });
    return { title, parts: [element("p", { textContent: words().basket_empty }), back] };
  }
  const [{ KundLief = [] }, { totals, problems }] = await Promise.all([
    shop.client.listAddresses(shop.number, { signal }),
    shop.panel.loaded(),
  ]);
  const usual = ({ AdrNr }) => Number(AdrNr === shop.customer.KundLief);
  const delivery = new Delivery(KundLief.toSorted((a, b) => usual(b) - usual(a)));
  const form = element(
    "form",
    { id: "checkout", className: "view", noValidate: true },
    summary(shop, sumsOf(totals, problems)),
    delivery.view,
    remarks(),
    element("div", { id: "order-problem", role: "alert" }),
    element("div", { className: "row" }, ...buttons(shop, delivery)),
  );
  form.addEventListener("submit", (event) => event.preventDefault());
  return { title, parts: [form] };
}

function summary({ basket, list }, sums) {
  const lines = basket.lines.map(({ offer, count }) =>
    element("li", {}, element("p", { className: "line-name", textContent: name(offer) }), `${number(count)} ${unitText(offer)}`),
  );
  const back = element("a", { href: list.address, textContent: `← ${words().change_basket}` });
  return card(words().your_basket, element("ul", { className: "lines" }, ...lines), sums, back);
}

const card = (title, ...content) =>
  element("section", { className: "card" }, element("h2", { textContent: title }), ...content);

/** The choice of a delivery address: one of the customer's, the usual one first, or another one for this order. */
class Delivery {
  #known;
  #form;
  #other = element("div", { className: "fields", hidden: true });

  constructor(known) {
    this.#known = known;
    const choices = known.map((address, at) => this.#choice(String(at), addressText(address), at === 0));
    choices.push(this.#choice("other", words().other_address, known.length === 0));
    const legend = element("legend", { className: "unseen", textContent: words().delivered_to });
    const list = element("fieldset", { className: "choices" }, legend, ...choices);
    this.view = card(words().delivered_to, list, this.#other);
    if (known.length === 0) this.#open();
  }

  #choice(value, text, checked) {
    const input = element("input", { type: "radio", name: "delivery", value, checked });
    input.addEventListener("change", () => (value === "other" ? this.#open() : (this.#other.hidden = true)));
    return element("label", {}, input, element("span", { textContent: text }));
  }

  async #open() {
    this.#other.hidden = false;
    if (this.#form !== undefined) return;
    this.#form = new AddressForm(this.#other, { prefix: "to-" });
    const rules = await load(() => import("./erp-wasm/address.js"));
    await rules?.loadTowns();
    this.#form.rules = rules;
    this.#form.check();
  }

  /** What the order says of the address: nothing for the customer's usual one; `undefined` when it is not complete. */
  get addresses() {
    const { value } = this.view.querySelector('[name="delivery"]:checked');
    if (value === "other") return this.#form.complete() ? { LiefAdr: this.#form.body } : undefined;
    if (value === "0") return {};
    const known = this.#known[Number(value)];
    const fields = SENT.filter((field) => known[field] !== undefined);
    return { LiefAdr: Object.fromEntries(fields.map((field) => [field, known[field]])) };
  }
}

const addressText = (address) => addressLines(address).filter((line) => typeof line === "string").join(", ");

function remarks() {
  const field = (id, text, maxLength) =>
    element("div", { className: "field" }, element("label", { htmlFor: id, textContent: text }), element("input", { id, maxLength }));
  const fields = element("div", { className: "fields" }, field("reference", words().your_reference, 60), field("comment", words().comment, 255));
  return card(words().remarks, fields);
}

/** The body of the order or offer. */
function body(shop, Adressen) {
  const reference = find("#reference").value.trim();
  const comment = find("#comment").value.trim();
  const GrundDaten = {
    KundNr: shop.number,
    ...(reference && { AuftBestellRef: reference }),
    ...(comment && { AuftKomment: comment }),
  };
  return { GrundDaten, Positionen: shop.basket.positions, ...(Adressen.LiefAdr && { Adressen }) };
}

function buttons(shop, delivery) {
  const order = async (body, key) => {
    const { AuftNr } = await shop.client.createOrder(body, { key });
    shop.basket.clear();
    shop.placed = AuftNr;
    shop.go(`order/${AuftNr}`);
  };
  const offer = async (body, key) => {
    const { data } = await shop.client.createOffer(body, { key });
    rememberOffer(shop.number, data.OffertNr, data.GrundDaten.AuftBestellTUTC);
    shop.basket.clear();
    shop.asked = data.OffertNr;
    shop.go(`offer/${data.OffertNr}`);
  };
  return [
    sending(shop, delivery, "ask-offer", "", words().ask_offer, offer),
    sending(shop, delivery, "order", "main", words().order, order),
  ];
}

function sending(shop, delivery, id, className, text, send) {
  const button = element("button", { id, type: "button", className, textContent: text });
  button.addEventListener("click", async () => {
    const addresses = delivery.addresses;
    if (addresses === undefined) return;
    // An offer and an order of the same basket need different keys.
    const key = `${shop.basket.orderKey}${id === "order" ? "" : "-offer"}`;
    button.disabled = true;
    button.textContent = words().ordering;
    try {
      await send(body(shop, addresses), key);
    } catch (error) {
      const told = error.status === 0 ? words().order_unknown : `${words().order_refused} ${sentence(error)}`;
      find("#order-problem")?.replaceChildren(element("p", { className: "problem", textContent: told }), problemList(error.problems ?? []));
      button.disabled = false;
      button.textContent = text;
    }
  });
  return button;
}
