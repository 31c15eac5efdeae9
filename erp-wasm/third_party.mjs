// Writes the licence texts of the crates linked into the modules: `node third_party.mjs METADATA LINKED`.
//
// METADATA is a file with the output of `cargo metadata`, LINKED one with lines `NAME vVERSION` of `cargo tree`. A crate
// that may be used under one of several licences comes with all its texts. Paths of this machine stay out.

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

const IS_LICENCE = /^(licen[cs]e|copying|unlicense|notice|copyright)/i;

const [metadata, linked] = process.argv.slice(2, 4).map((path) => readFileSync(path, "utf8"));
const names = new Set(linked.split("\n").map((line) => line.split(" ", 2).join(" ")));
const { packages } = JSON.parse(metadata);
const crates = packages
  .filter(({ name, version, source }) => source !== null && names.has(`${name} v${version}`))
  .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));

/** The licence texts next to the manifest of a crate; some crates only name their licence. */
function texts({ manifest_path: manifest }) {
  const folder = dirname(manifest);
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && IS_LICENCE.test(entry.name))
    .map((entry) => entry.name)
    .sort();
  return names.map((name) => readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").trim());
}

const users = new Map();
for (const crate of crates) {
  const title = `${crate.name} ${crate.version} (${crate.license ?? "see its text"})`;
  const authors = crate.authors.map((author) => author.replace(/ *<.*>/, "")).join(", ");
  const found = texts(crate);
  for (const text of found.length > 0 ? found : [`Copyright: ${authors || "its contributors"}.`]) {
    users.set(text, [...(users.get(text) ?? []), title]);
  }
}

const rule = "-".repeat(78);
const parts = [...users].map(([text, titles]) => `${rule}\n${titles.join("\n")}\n${rule}\n\n${text}\n`);
const rust = "The standard library of Rust, Copyright (c) The Rust Project Contributors, is under MIT OR Apache-2.0.";
process.stdout.write(
  `The modules of this package contain the crates below, under their licences.\n${rust}\n\n${parts.join("\n")}`,
);
