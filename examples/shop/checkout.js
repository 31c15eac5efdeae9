// The end of an order: both addresses, payment, remarks, and all lines with their sums.

import { AddressForm } from "./address-form.js";
import { tile } from "./catalogue.js";
import { addressLines, addressText, problemList, unitPrice } from "./document.js";
import { card, element, facts, find, money, nothing, number } from "./dom.js";
import { orderText, words } from "./language.js";
import { name, packName, unitText } from "./packs.js";
import { sentence } from "./session.js";
import { sumsOf, totalsOf } from "./totals.js";

/** What an address of the customer has in common with one that is sent. */
const SENT = ["AdrSprache", "EmailAdress", "AdrAdresse1", "AdrAdresse2", "AdrAnrede", "AdrFirma", "AdrFirma2"].concat(
  ["AdrVorname", "AdrName", "AdrTelex", "AdrTf1", "AdrTf2", "AdrFax", "OrtLand", "OrtName", "OrtPLZ"],
);

export async function view(shop, _, signal) {
  const title = words().checkout_title;
  if (shop.basket.size === 0) return { title, parts: [nothing(words().basket_empty, shop.list.address, words().shop_on)] };
  const [addresses, computed] = await Promise.all([
    shop.client.listAddresses(shop.number, { signal }),
    totalsOf(shop),
  ]);
  const usual = ({ AdrNr }) => Number(AdrNr === shop.customer.KundLief);
  const delivery = new Delivery(addresses.KundLief.toSorted((a, b) => usual(b) - usual(a)));
  const order = element("div", { className: "order-sums" });
  const fill = (computed) => order.replaceChildren(lines(shop, computed.totals), element("div", { id: "sums" }, ...sumsOf(computed)));
  fill(computed);
  // What is sent is the basket of now, which another tab may change.
  const watch = async () => shop.basket.size > 0 && fill(await totalsOf(shop));
  const form = element(
    "form",
    { id: "checkout", className: "columns", noValidate: true },
    element("div", { className: "steps" }, delivery.view, billing(shop, addresses), payment(shop.customer), remarks(shop)),
    element(
      "section",
      { className: "card side" },
      element("h2", { textContent: words().your_order }),
      order,
      element("div", { id: "order-problem", role: "alert" }),
      ...buttons(shop, delivery),
      element("a", { href: "#basket", textContent: `← ${words().change_basket}` }),
    ),
  );
  form.addEventListener("submit", (event) => event.preventDefault());
  return { title, parts: [form], watch };
}

function lines({ basket, pictures }, totals) {
  const items = basket.lines.map(({ offer, count }, at) => {
    const one = totals?.Positionen[at];
    const each = one === undefined ? "" : ` × ${unitPrice(one)}`;
    return element(
      "li",
      {},
      tile(offer.article, pictures),
      element("span", {}, element("span", { className: "line-name", textContent: name(offer) }), element("small", { textContent: `${number(count)} ${unitText(offer, count)}${each}` })),
      element("span", { className: "line-sum", textContent: one === undefined ? "" : money(one.PosPreisTotal) }),
    );
  });
  return element("ul", { className: "order-lines" }, ...items);
}

/** The address of the invoice, which is that of the customer. */
function billing({ customer }, { KundRech, KundKontakt }) {
  const all = [...KundRech, ...KundKontakt];
  const used = all.find(({ AdrNr }) => AdrNr === customer.KundRech) ?? all[0];
  const change = element("a", { href: "#addresses", textContent: words().to_addresses });
  return card(words().billed_to, element("p", {}, ...(addressLines(used) ?? [])), change);
}

/** The terms of the customer, and how it may pay; an order only names it. */
function payment({ ZahlungsMethode = "", KundBedBez, VBTyp }) {
  const methods = ZahlungsMethode.split(",").map((one) => one.trim()).filter(Boolean);
  const choices = methods.map((value, at) => {
    const [text, hint] = words().payments[value] ?? [value, ""];
    const input = element("input", { type: "radio", name: "payment", value, checked: at === 0 });
    return element("label", {}, input, element("span", {}, text, element("small", { textContent: hint })));
  });
  const legend = element("legend", { className: "unseen", textContent: words().payment });
  const terms = facts([[words().terms, KundBedBez], [words().shipping, VBTyp && (words().shippings[VBTyp] ?? packName(VBTyp))]]);
  return card(words().payment_terms, ...(choices.length > 0 ? [element("fieldset", { className: "choices" }, legend, ...choices)] : []), terms);
}

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
    await this.#form.loadRules();
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

/** Where this tab keeps what a customer wrote, until it is sent. */
const draftOf = ({ number }) => `erp-remarks-${number}`;

function remarks(shop) {
  const draft = JSON.parse(sessionStorage.getItem(draftOf(shop)) ?? "{}");
  const field = (id, text, maxLength) => {
    const input = element("input", { id, maxLength, value: draft[id] ?? "" });
    input.addEventListener("input", () => sessionStorage.setItem(draftOf(shop), JSON.stringify(Object.assign(draft, { [id]: input.value }))));
    return element("div", { className: "field" }, element("label", { htmlFor: id, textContent: text }), input);
  };
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
    const method = find('[name="payment"]:checked')?.value;
    const Zahlung = method && [{ Bezeichnung: "payment_method", Wert: method }];
    const { AuftNr } = await shop.client.createOrder({ ...body, ...(Zahlung && { Zahlung }) }, { key });
    shop.basket.clear();
    shop.placed = AuftNr;
    shop.go(`order/${AuftNr}`);
  };
  const offer = async (body, key) => {
    const { data } = await shop.client.createOffer(body, { key });
    shop.basket.clear();
    shop.asked = data.OffertNr;
    shop.go(`offer/${data.OffertNr}`);
  };
  return [
    sending(shop, delivery, "order", "main", orderText(), order),
    sending(shop, delivery, "ask-offer", "", words().ask_offer, offer),
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
      sessionStorage.removeItem(draftOf(shop));
    } catch (error) {
      const isUnknown = error.status < 400 || error.info?.outcome === "unknown";
      const told = isUnknown ? words().order_unknown : `${words().order_refused} ${sentence(error)}`;
      find("#order-problem")?.replaceChildren(element("p", { className: "problem", textContent: told }), problemList(error.problems ?? []));
      button.disabled = false;
      button.textContent = text;
    }
  });
  return button;
}
