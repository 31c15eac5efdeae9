// Keeps a copy of the articles in a file: ERP_URL=... ERP_USER=... ERP_PASSWORD=... node sync.mjs articles.json
// The first run reads all articles, each later one only what has changed since. Run it every night or every minute.

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

const { ERP_URL, ERP_USER, ERP_PASSWORD } = process.env;
const file = process.argv[2];

async function ask(method, path, authorization) {
  const response = await fetch(ERP_URL + path, { method, headers: { Authorization: authorization } });
  return { status: response.status, body: await response.json() };
}

async function changesSince(stand) {
  const login = Buffer.from(`${ERP_USER}:${ERP_PASSWORD}`).toString("base64");
  const { body } = await ask("POST", "/www/token", `Basic ${login}`);
  return ask("GET", `/www/artikel?${new URLSearchParams({ seit: stand, limit: 0 })}`, `Bearer ${body.access_token}`);
}

const copy = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { stand: "", articles: {} };
let { status, body: changes } = await changesSince(copy.stand);
if (status === 410) {
  // The mark is too old, or everything has changed.
  copy.articles = {};
  ({ status, body: changes } = await changesSince(""));
}
if (status !== 200) throw new Error(`${changes.error}: ${changes.error_description}`);
for (const article of changes.data) copy.articles[article.ArtNr] = article;
for (const number of changes.entfernt) delete copy.articles[number];
copy.stand = changes.stand;
// A run that is interrupted leaves the old file, and the next one reads the same changes again.
writeFileSync(`${file}.new`, JSON.stringify(copy));
renameSync(`${file}.new`, file);
console.log(`${changes.data.length} changed, ${changes.entfernt.length} gone, ${Object.keys(copy.articles).length} in the copy`);
