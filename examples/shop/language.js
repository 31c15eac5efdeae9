// The language of the page.

import { COMPANY } from "./company.js";
import { find } from "./dom.js";
import { WORDS } from "./words.js";

/** Where the choice is kept. */
const KEPT = "erp-language";
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

/**
 * The message of an error for the user, with quotation marks where programmers write backticks. The messages of the
 * server and the package are in English; a page in another language uses their codes.
 */
export function refusal({ code, message, path = "", limit }) {
  const { refusals } = words();
  if (refusals === undefined || code === undefined) return message.replace(/`([^`]*)`/g, "“$1”");
  const text = refusals[code] ?? refusals.other;
  const [, position] = /^Positionen\[(\d+)\]/.exec(path) ?? [];
  const place = position === undefined ? words()[path.split(".").at(-1)] : `${words().position} ${Number(position) + 1}`;
  return `${place ? `${place}: ` : ""}${typeof text === "function" ? text(limit) : text}`;
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
