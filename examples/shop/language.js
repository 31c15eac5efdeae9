// The language of the page.

import { COMPANY, ORDER_BUTTON } from "./company.js";
import { capital, find } from "./dom.js";
import { WORDS } from "./words.js";

/** Where the choice is kept. */
const KEPT = "erp-language";
const listeners = [];

export const words = () => WORDS[document.documentElement.lang] ?? WORDS.en;

/** The words of the button that orders. */
export const orderText = () => ORDER_BUTTON[document.documentElement.lang] || words().order;

/** Runs now and whenever the language changes. */
export function onLanguage(listener) {
  listeners.push(listener);
  listener();
}

/** Writes the fixed words below an element. */
export function translate(root = document) {
  for (const place of root.querySelectorAll("[data-word]")) {
    place.textContent = words()[place.dataset.word] ?? place.textContent;
  }
  for (const place of root.querySelectorAll("[data-label]")) {
    place.setAttribute("aria-label", words()[place.dataset.label]);
  }
}

/** Adds the words of a part that has just been loaded. */
export function addWords(more) {
  for (const [language, added] of Object.entries(more)) Object.assign(WORDS[language], added);
  translate();
}

/** The message of an error, which is in the language of the page, with its place and with quotation marks in place of backticks. */
export function refusal({ message, path = "" }) {
  const [, position] = /^Positionen\[(\d+)\]/.exec(path) ?? [];
  const place = position === undefined ? words()[path.split(".").at(-1)] : `${words().position} ${Number(position) + 1}`;
  const text = message.replace(/`([^`]*)`/g, words().quoted);
  return place ? `${place}: ${text}` : `${capital(text)}.`;
}

let heading = "";

/** Sets the title of the window. */
export function title(text) {
  heading = text;
  document.title = [heading, COMPANY.name].filter(Boolean).join(" – ");
}

const TAGS = { ger: "de", fre: "fr", eng: "en", ita: "it" };

/** The tag of a language of the interface, for who listens and for hyphens; empty when it is another one. */
export const tagOf = (code) => TAGS[code] ?? "";

/** The name of a country. */
export function country(code) {
  const names = new Intl.DisplayNames(document.documentElement.lang, { type: "region", fallback: "code" });
  try {
    return names.of(code);
  } catch {
    return code;
  }
}

function speak(language) {
  document.documentElement.lang = language;
  localStorage.setItem(KEPT, language);
  title(heading);
  translate();
  for (const listener of listeners) listener();
}

export function startLanguage() {
  const kept = localStorage.getItem(KEPT);
  const language = kept in WORDS ? kept : navigator.language.startsWith("de") ? "de" : "en";
  find(`input[value="${language}"]`).checked = true;
  speak(language);
  find(".languages").addEventListener("change", ({ target }) => speak(target.value));
}
