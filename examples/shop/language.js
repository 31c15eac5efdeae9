// The language of the page.

import { find } from "./dom.js";
import { WORDS } from "./words.js";

const listeners = [];

export const words = () => WORDS[document.documentElement.lang] ?? WORDS.en;

/** Runs now and whenever the language changes. */
export function onLanguage(listener) {
  listeners.push(listener);
  listener();
}

/** Writes the fixed words below an element. */
export function translate(root = document) {
  for (const place of root.querySelectorAll("[data-word]")) {
    place.textContent = words()[place.dataset.word];
  }
  for (const place of root.querySelectorAll("[data-label]")) {
    place.setAttribute("aria-label", words()[place.dataset.label]);
  }
}

function speak(language) {
  document.documentElement.lang = language;
  document.title = words().title;
  translate();
  for (const listener of listeners) listener();
}

export function startLanguage() {
  const language = navigator.language.startsWith("de") ? "de" : "en";
  find(`input[value="${language}"]`).checked = true;
  speak(language);
  find(".languages").addEventListener("change", ({ target }) => speak(target.value));
}
