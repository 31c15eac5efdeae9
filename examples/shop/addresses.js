// The address book: every address of the customer once, with what it is for.

import { AddressForm } from "./address-form.js";
import { addressLines, problemList } from "./document.js";
import { element } from "./dom.js";
import { words } from "./language.js";
import { sentence } from "./session.js";

const USES = { KundKontakt: "contact", KundLief: "delivered_to", KundRech: "billed_to" };

export async function view(shop, _, signal) {
  const lists = await shop.client.listAddresses(shop.number, { signal });
  const all = new Map();
  for (const [list, use] of Object.entries(USES)) {
    for (const address of lists[list]) {
      const { uses = [] } = all.get(address.AdrNr) ?? {};
      all.set(address.AdrNr, { address, uses: [...uses, words()[use]] });
    }
  }
  const cards = [...all.values()].map((one) => addressCard(shop, one));
  return { title: words().addresses, parts: [element("ul", { className: "address-book" }, ...cards)] };
}

function addressCard(shop, { address, uses }) {
  const { AdrTf1, AdrTelex, EmailAdress, AdrNr, AdrFirma, AdrName } = address;
  const more = [EmailAdress, AdrTf1, AdrTelex].filter(Boolean).flatMap((line) => [line, element("br")]);
  const edit = element("button", { type: "button", textContent: words().edit, "aria-label": words().edit_named(AdrFirma ?? AdrName ?? AdrNr) });
  const card = element(
    "li",
    { className: "card" },
    element("p", { className: "uses" }, ...uses.map((use) => element("span", { className: "badge", textContent: use }))),
    element("p", {}, ...addressLines(address)),
    element("p", { className: "hint" }, ...more),
    edit,
  );
  edit.addEventListener("click", () => editor(shop, AdrNr, card));
  return card;
}

/** Replaces the card by a form; a change of another place in the meantime is not overwritten. */
async function editor(shop, number, card) {
  const problem = element("div", { role: "alert" });
  const told = (...parts) => problem.replaceChildren(...parts);
  let read;
  try {
    read = await shop.client.readAddress(number);
  } catch (error) {
    card.append(element("p", { className: "problem", role: "alert", textContent: sentence(error) }));
    return;
  }
  const { data, etag } = read;
  const fields = element("div", { className: "fields" });
  const form = new AddressForm(fields, { prefix: `book-${number}-` });
  form.fill(data);
  form.loadRules();
  const close = () => shop.go("addresses", true);
  const save = async () => {
    if (!form.complete()) return;
    const { AdrSprache, ...body } = form.body;
    const changed = Object.entries(body).filter(([name, value]) => value !== (data[name] ?? ""));
    try {
      if (changed.length > 0) await shop.client.changeAddress(number, Object.fromEntries(changed), { ifMatch: etag });
      close();
    } catch (error) {
      const text = error.status === 412 ? words().address_changed : sentence(error);
      told(element("p", { className: "problem", textContent: text }), problemList(error.problems ?? []));
    }
  };
  const made = element(
    "form",
    { className: "editor", noValidate: true },
    fields,
    problem,
    element("div", { className: "row start" }, element("button", { className: "main", textContent: words().save }), element("button", { type: "button", textContent: words().cancel, onclick: close })),
  );
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    save();
  });
  card.classList.add("wide");
  card.replaceChildren(made);
  fields.querySelector("input, select").focus();
}
