// The fields of an address, with problems next to the fields, and the town of a postal code.

import { element } from "./dom.js";
import { country, translate, words } from "./language.js";
import { load } from "./package.js";

const FIELDS = [
  ["AdrAnrede", "honorific-prefix"],
  ["AdrFirma", "organization"],
  ["AdrVorname", "given-name"],
  ["AdrName", "family-name"],
  ["AdrAdresse1", "address-line1"],
  ["OrtLand", "country"],
  ["OrtPLZ", "postal-code"],
  ["OrtName", "address-level2"],
  ["EmailAdress", "email"],
];
const COUNTRIES = ["CH", "LI", "DE", "AT", "FR", "IT"];
const REQUIRED = ["AdrAdresse1", "OrtPLZ", "OrtName"];
const OPTIONS = { AdrAnrede: ["0", "1", "2"], OrtLand: COUNTRIES };

export class AddressForm {
  #root;
  #prefix;
  #controls = new Map();
  #touched = new Set();
  #changed;
  rules;

  /** Fills `root`. `prefix` keeps the ids of two forms of a page apart; `changed` gets the number of problems. */
  constructor(root, { prefix = "", changed = () => undefined } = {}) {
    this.#root = root;
    this.#prefix = prefix;
    this.#changed = changed;
    root.append(...FIELDS.map((field) => this.#field(field)));
    root.addEventListener("input", ({ target }) => this.#touch(target));
    root.addEventListener("focusout", ({ target }) => this.#touch(target));
    this.speak();
  }

  #field([name, autocomplete]) {
    const options = OPTIONS[name]?.map((value) => element("option", { value }));
    const input = options ? element("select", {}, ...options) : element("input", { type: name === "EmailAdress" ? "email" : "text" });
    const id = this.#prefix + name;
    Object.assign(input, { id, name, autocomplete, required: REQUIRED.includes(name) });
    input.setAttribute("aria-describedby", `${id}-problem`);
    this.#controls.set(name, input);
    const label = element("label", { htmlFor: id });
    label.dataset.word = name;
    const mark = input.required ? element("span", { className: "mark", textContent: " *", "aria-hidden": "true" }) : undefined;
    const problem = element("p", { className: "problem", id: `${id}-problem` });
    const towns = name === "OrtName" ? element("div", { className: "towns" }) : undefined;
    return element("div", { className: "field" }, element("div", {}, label, mark), input, problem, towns);
  }

  /** Loads the rules of the package; if that fails, `place` says so. */
  async loadRules(place) {
    const rules = await load(() => import("./erp-wasm/address.js"), place);
    await rules?.loadTowns();
    this.rules = rules;
    this.check();
  }

  /** Takes the values of an address of the interface. */
  fill(address) {
    const { OrtLand } = address;
    if (OrtLand && !COUNTRIES.includes(OrtLand)) this.#controls.get("OrtLand").append(element("option", { value: OrtLand }));
    for (const [name, input] of this.#controls) input.value = address[name] ?? (name === "AdrAnrede" ? "0" : "");
    this.speak();
  }

  /** Writes everything in the language of the page. */
  speak() {
    translate(this.#root);
    for (const option of this.#controls.get("AdrAnrede").options) {
      option.textContent = words().salutations[Number(option.value)];
    }
    for (const option of this.#controls.get("OrtLand").options) option.textContent = country(option.value);
    this.check();
  }

  /** The address in the form of the interface. */
  get body() {
    const texts = Object.fromEntries(FIELDS.map(([name]) => [name, this.#controls.get(name).value.trim()]));
    const language = document.documentElement.lang === "de" ? "ger" : "eng";
    return { ...texts, AdrAnrede: Number(texts.AdrAnrede), AdrSprache: language };
  }

  /** Shows every problem before sending, and focuses the first; returns whether there is none. */
  complete() {
    for (const [name] of FIELDS) this.#touched.add(name);
    const first = this.check();
    if (first !== undefined) this.#controls.get(first).focus();
    return first === undefined;
  }

  #touch(target) {
    if (!target.name) return;
    this.#touched.add(target.name);
    this.check();
  }

  #show(name, text) {
    const input = this.#controls.get(name);
    const place = this.#root.querySelector(`#${CSS.escape(input.id)}-problem`);
    if (place.textContent !== text) place.textContent = text;
    input.setAttribute("aria-invalid", String(text !== ""));
  }

  /** Shows problems of fields that were edited; returns the first invalid field, edited or not. */
  check() {
    const address = this.body;
    const problems = new Map();
    for (const problem of this.rules?.validateAddress(address) ?? []) problems.set(problem.path, sentence(problem));
    for (const name of REQUIRED) if (address[name] === "") problems.set(name, words().required);
    const email = this.#controls.get("EmailAdress");
    if (!email.validity.valid) problems.set("EmailAdress", words().no_email);
    const { place = "OrtName", text = "", towns = [] } = this.#town(address);
    if (text !== "") problems.set(place, problems.get(place) ?? text);
    for (const [name] of FIELDS) this.#show(name, this.#touched.has(name) ? (problems.get(name) ?? "") : "");
    this.#offer(towns);
    this.#changed(problems.size);
    return FIELDS.map(([name]) => name).find((name) => problems.has(name));
  }

  /** The message about the town, its place, and the suggested towns. */
  #town(address) {
    if (this.rules?.checkTown === undefined || address.OrtPLZ === "") return {};
    const answer = this.rules.checkTown(address);
    switch (answer.outcome) {
      case "corrected":
        return { text: words().corrected, towns: [answer.to] };
      case "ambiguous":
        return address.OrtName === "" ? {} : { text: words().ambiguous, towns: answer.candidates };
      case "conflict": {
        const codes = answer.places.map((one) => one.postal_code);
        const more = codes.length > CODES ? " …" : "";
        const here = this.rules.checkTown({ ...address, OrtName: "" });
        const towns = here.candidates ?? [here.to].filter(Boolean);
        return { text: words().conflict(codes.slice(0, CODES).join(", ") + more), towns };
      }
      case "unknown_postal_code":
        return { place: "OrtPLZ", text: words().unknown_postal_code };
      default:
        return {};
    }
  }

  /** Buttons that insert a town. Existing ones are kept, because one of them may have the focus. */
  #offer(towns) {
    const place = this.#root.querySelector(".towns");
    const shown = JSON.stringify([document.documentElement.lang, ...towns]);
    if (place.dataset.shown === shown) return;
    place.dataset.shown = shown;
    const buttons = towns.map((town) => {
      const button = element("button", { type: "button", textContent: words().take(town) });
      button.addEventListener("click", () => {
        this.#controls.get("OrtName").value = town;
        this.#controls.get("OrtName").focus();
        this.check();
      });
      return button;
    });
    place.replaceChildren(...buttons);
  }
}

/** How many postal codes are named. */
const CODES = 5;

function sentence({ path, code, limit }) {
  if (path === "AdrFirma" && code === "required") return words().company_or_name;
  if (code === "too_long") return words().too_long(limit);
  return code === "required" ? words().required : words().other;
}
