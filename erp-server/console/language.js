// The language of the page.

import { WORDS as de } from "./de.js";
import { find } from "./dom.js";
import { WORDS as en } from "./en.js";

const WORDS = { de, en };
const KEPT = "erp-console-language";
const listeners = [];

export const words = () => WORDS[document.documentElement.lang] ?? en;

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
  const language = localStorage.getItem(KEPT) in WORDS ? localStorage.getItem(KEPT) : first;
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
