// The address form: problems beside their fields, and the town that a postal code means.

import { element, find } from "./dom.js";
import { onLanguage, translate, words } from "./language.js";
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

const form = find("#address-form");
const state = find("#state");
const touched = new Set();
let rules;

const control = (name) => form.elements.namedItem(name);

function field([name, autocomplete]) {
  const options = {
    AdrAnrede: () => [0, 1, 2].map((value) => element("option", { value })),
    OrtLand: () => COUNTRIES.map((value) => element("option", { value, textContent: value })),
  };
  const input = options[name]
    ? element("select", {}, ...options[name]())
    : element("input", { type: name === "EmailAdress" ? "email" : "text" });
  Object.assign(input, { id: name, name, autocomplete });
  input.setAttribute("aria-describedby", `${name}-problem`);
  const label = element("label", { htmlFor: name });
  label.dataset.word = name;
  const problem = element("p", { className: "problem", id: `${name}-problem` });
  return element("div", { className: "field" }, label, input, problem);
}

function body() {
  const values = FIELDS.map(([name]) => [name, control(name).value]);
  const texts = Object.fromEntries(values);
  const language = document.documentElement.lang === "de" ? "ger" : "eng";
  return { ...texts, AdrAnrede: Number(texts.AdrAnrede), AdrSprache: language };
}

function sentence({ code, limit }) {
  if (code === "too_long") return words().too_long(limit);
  return code === "required" ? words().required : words().other;
}

function show(name, text) {
  const place = find(`#${name}-problem`);
  if (place.textContent !== text) place.textContent = text;
  control(name).setAttribute("aria-invalid", String(text !== ""));
}

/** Buttons that take a town over. Those that are there stay: one of them may have the focus. */
function offer(towns) {
  const place = form.querySelector(".towns");
  const shown = JSON.stringify([document.documentElement.lang, ...towns]);
  if (place.dataset.shown === shown) return;
  place.dataset.shown = shown;
  const buttons = towns.map((town) => {
    const button = element("button", { type: "button", textContent: words().take(town) });
    button.addEventListener("click", () => {
      control("OrtName").value = town;
      control("OrtName").focus();
      check();
    });
    return button;
  });
  place.replaceChildren(...buttons);
}

/** What is to be said of the town, with the towns that may be meant. */
function townOf(address) {
  if (address.OrtPLZ.trim().length < 4) return ["", []];
  const answer = rules.checkTown(address);
  switch (answer.outcome) {
    case "corrected":
      return [words().corrected, [answer.to]];
    case "ambiguous":
      return [words().ambiguous, answer.candidates];
    case "conflict":
      return [words().conflict(answer.places.map((place) => place.postal_code).join(", ")), []];
    case "unknown_postal_code":
      return [words().unknown_postal_code, []];
    default:
      return ["", []];
  }
}

function check() {
  if (rules === undefined) return;
  const address = body();
  const problems = new Map(rules.validateAddress(address).map((problem) => [problem.path, problem]));
  for (const [name] of FIELDS) {
    const problem = touched.has(name) ? problems.get(name) : undefined;
    show(name, problem === undefined ? "" : sentence(problem));
  }
  const [said, towns] = townOf(address);
  if (said !== "") show("OrtName", said);
  offer(towns);
  state.textContent = problems.size === 0 ? words().fine : words().wrong(problems.size);
}

form.append(...FIELDS.map(field), element("div", { className: "towns" }));
translate(form);
form.addEventListener("submit", (event) => event.preventDefault());
rules = await load(() => import("./erp-wasm/address.js"), "#address-missing");
await rules?.loadTowns();
onLanguage(() => {
  for (const option of control("AdrAnrede").options) {
    option.textContent = words().salutations[Number(option.value)];
  }
  check();
});
form.addEventListener("input", ({ target }) => {
  touched.add(target.name);
  check();
});
form.addEventListener("focusout", ({ target }) => {
  if (target.name) touched.add(target.name);
  check();
});
form.dataset.ready = "";
