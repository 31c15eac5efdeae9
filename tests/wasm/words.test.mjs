// One word for one thing, in shop page, console and documents, English and German: the table in erp-core/docs/GLOSSARY.md.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { TOOL_WORDS } from "../../examples/shop/tool-words.js";
import { WORDS } from "../../examples/shop/words.js";
import { root } from "./paths.mjs";

const read = (path) => readFileSync(new URL(path, root), "utf8");
const GLOSSARY = "erp-core/docs/GLOSSARY.md";
const GERMAN = ["erp-server/docs/handbuch.md", "erp-server/docs/privacy.md"];

/** Words that mean something else where they stand: a place, and the text around them. */
const OTHERS = [
  // BT-20 of EN 16931 has this name, and a form of the tax office the other.
  [GLOSSARY, "Payment terms, in the language of the customer"],
  [GLOSSARY, "Tax form figure"],
  ["erp-wasm/README.md", "target folder"],
];

/** The texts of a table of words, each with the place where it is. */
function* texts(words, place) {
  if (typeof words === "string") yield { place, text: words };
  // What a function writes is the text in its template.
  else if (typeof words === "function") yield* [...String(words).matchAll(/[`"]([^`"]*)[`"]/g)].map(([, text]) => ({ place, text: text.replace(/\$\{[^}]*\}/g, "…") }));
  else for (const [name, inner] of Object.entries(words)) yield* texts(inner, `${place} ${name}`);
}

/** The paragraphs of a document, without code and addresses. */
function* paragraphs(path) {
  const prose = read(path).replace(/^ *```[^]*?^ *```/gm, "").replace(/`[^`\n]*`/g, "…").replace(/\]\([^)]*\)/g, "]").replace(/<[^>]*>/g, "").replace(/^- \w+ \(\w+\)/gm, "-");
  const from = path === GLOSSARY ? prose.slice(prose.indexOf("## Names on the wire")) : prose;
  for (const text of from.split(/\n\s*\n|\n(?=[-|#])/)) yield { place: path, text };
}

const consoleWords = Object.entries(JSON.parse(read("erp-server/console/words.json")));
const ofConsole = (at) => consoleWords.map(([name, text]) => ({ place: `console ${name}`, text: text[at] }));
const english = [...read("docs/SUMMARY.md").matchAll(/\]\((.*\.md)\)/g)].map(([, path]) => path).filter((path) => !GERMAN.includes(path));
const PLACES = [
  { language: "en", who: "shop", texts: [...texts(WORDS.en, "shop"), ...texts(TOOL_WORDS.en, "shop")] },
  { language: "de", who: "shop", texts: [...texts(WORDS.de, "shop"), ...texts(TOOL_WORDS.de, "shop")] },
  { language: "en", who: "office", texts: ofConsole(0) },
  { language: "de", who: "office", texts: ofConsole(1) },
  { language: "de", who: "office", texts: GERMAN.flatMap((path) => [...paragraphs(path)]) },
  { language: "en", who: "documents", texts: english.flatMap((path) => [...paragraphs(path)]) },
];

const rows = [...read(GLOSSARY).matchAll(/^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$/gm)].slice(2).map(([, thing, en, de, not]) => ({
  thing,
  said: { en: en.split(", "), de: de.split(", ") },
  not: not.split(", "),
  who: /in the (shop|office)$/.exec(thing)?.[1],
}));

/** Whether a text says a word, or is it alone; without a capital letter in any case. */
function says(text, word) {
  const [, written, alone] = /^(.*?)( alone)?$/.exec(word);
  const pattern = alone ? `^${written}$` : `(?<![\\p{L}-])${written}(?![\\p{L}-])`;
  return new RegExp(pattern, /\p{Lu}/u.test(written) ? "u" : "iu").test(text.trim());
}

test("the table names words of both languages, which the pages say", () => {
  assert.ok(rows.length > 12, `${rows.length}`);
  for (const { thing, said, who } of rows) {
    for (const language of ["en", "de"]) {
      const places = PLACES.filter((place) => place.language === language && (who === undefined || place.who === who));
      for (const word of said[language]) assert.ok(places.some(({ texts }) => texts.some(({ text }) => says(text, word.charAt(0).toLowerCase() + word.slice(1)) || says(text, word))), `${thing}: ${word} (${language})`);
    }
  }
});

test("no other word is said for these things", () => {
  const found = [];
  for (const { thing, not, who } of rows) {
    for (const place of PLACES.filter((place) => who === undefined || place.who === who)) {
      for (const one of place.texts) {
        const wrong = not.filter((word) => says(one.text, word));
        const isOther = OTHERS.some(([where, text]) => one.place.startsWith(where) && one.text.includes(text));
        if (wrong.length > 0 && !isOther) found.push(`${one.place}: "${wrong.join(", ")}" for ${thing}: ${one.text.slice(0, 120)}`);
      }
    }
  }
  assert.deepEqual(found, []);
});

test("what the handbook prints in bold is on the screens", () => {
  // Names of languages and formats are no words of the table.
  const said = new Set([...consoleWords.map(([, [, german]]) => german), "Deutsch", "PDF", "Fett"]);
  const bold = [...read("erp-server/docs/handbuch.md").matchAll(/\*\*([^*]+)\*\*/g)].map(([, text]) => text.replace(/\s+/g, " "));
  assert.deepEqual(bold.filter((text) => !said.has(text)), []);
});

test("German is written as in Switzerland", () => {
  const wrong = PLACES.filter(({ language }) => language === "de").flatMap(({ texts }) => texts.filter(({ text }) => /[ß„“”]/.test(text)));
  assert.deepEqual(wrong, []);
});
