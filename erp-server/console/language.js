// The language of the page.

import { find } from "./dom.js";
import WORDS from "./words.json" with { type: "json" };

/** The languages in the order of the words in the table. */
const LANGUAGES = ["en", "de"];
const KEPT = "erp-console-language";
const listeners = [];

/** A word; one with places is a function that fills them in. `{0}` is the first value, `{0:1 row|# rows}` chooses by it. */
function spoken(word) {
  if (!word.includes("{")) return word;
  const filled = (values) => (_, at, one, others) => {
    if (one === undefined) return values[at];
    return (Number(values[at]) === 1 ? one : others).replace("#", () => values[at]);
  };
  return (...values) => word.replace(/\{(\d)(?::([^|}]*)\|([^}]*))?\}/g, filled(values));
}

const SPOKEN = LANGUAGES.map((_, at) => Object.fromEntries(Object.entries(WORDS).map(([key, all]) => [key, spoken(all[at])])));

/** All words in the language of the page. */
export const words = () => SPOKEN[Math.max(0, LANGUAGES.indexOf(document.documentElement.lang))];

/** Runs whenever the language changes. */
export const onLanguage = (listener) => listeners.push(listener);

/** Writes the fixed words of the page. */
function translate() {
  for (const place of document.querySelectorAll("[data-word]")) {
    place.textContent = words()[place.dataset.word];
  }
  for (const place of document.querySelectorAll("[data-label]")) {
    place.setAttribute("aria-label", words()[place.dataset.label]);
    if (place.type === "search") place.placeholder = words()[place.dataset.label];
  }
}

export function startLanguage() {
  const first = navigator.language.startsWith("de") ? "de" : "en";
  const language = LANGUAGES.includes(localStorage.getItem(KEPT)) ? localStorage.getItem(KEPT) : first;
  find(`input[value="${language}"]`).checked = true;
  document.documentElement.lang = language;
  translate();
  find(".languages").addEventListener("change", ({ target }) => {
    localStorage.setItem(KEPT, target.value);
    document.documentElement.lang = target.value;
    translate();
    for (const listener of listeners) listener();
  });
}
