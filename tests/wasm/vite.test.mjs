// A clean project installs the tarball, is built by Vite, and works in Chromium.

import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { browser, watchedPage } from "./chromium.mjs";
import { dist, read } from "./paths.mjs";
import { project } from "./project.mjs";
import { serve } from "./serve.mjs";

let folder, run, remove, server, chromium;

before(() => {
  ({ folder, run, remove } = project({ project: ".", types: "types" }));
});

after(async () => {
  await chromium?.close();
  server?.close();
  remove?.();
});

test("the project is built and works", async () => {
  run("npx", "vite", "build", "--logLevel", "warn");
  const files = readdirSync(join(folder, "dist/assets"));
  const modules = files.filter((name) => name.endsWith(".wasm"));
  assert.equal(modules.length, 4, `one of the page, of its invoices, of its check, of its worker: ${files}`);
  server = await serve({ "/": pathToFileURL(join(folder, "dist/")) });
  chromium = await browser();
  const { page, wrong } = await watchedPage(chromium.context);
  await shows(page, server.base);
  assert.deepEqual(wrong, []);
});

/** Waits for the text that the project shows when the whole package works. */
async function shows(page, url) {
  await page.goto(url);
  await page.getByText(`${JSON.parse(read("package.json", dist)).version} Zürich 37.05 7 not_a_pdf ERP-XML`).waitFor();
}

test("the development server needs no setting", async () => {
  const { createServer } = await import(pathToFileURL(join(folder, "node_modules/vite/dist/node/index.js")));
  const development = await createServer({ root: folder, logLevel: "silent", server: { host: "127.0.0.1", port: 0 } });
  const page = await chromium.context.newPage();
  try {
    await development.listen();
    await shows(page, development.resolvedUrls.local[0]);
  } finally {
    await page.close();
    await development.close();
  }
});

test("only what is used is bundled", () => {
  const assets = join(folder, "dist/assets");
  const texts = readdirSync(assets).filter((name) => name.endsWith(".js"));
  const worker = texts.find((name) => name.startsWith("worker"));
  assert.ok(worker, String(texts));
  const code = readFileSync(join(assets, worker), "utf8");
  assert.ok(code.includes("validateAddress") && !code.includes("totalsOf"));
});

test("a strict TypeScript project accepts the example and the code of the README", () => {
  const blocks = read("README.md").split("```ts\n").slice(1);
  assert.equal(blocks.length, 4);
  blocks.forEach((block, at) => writeFileSync(join(folder, `types/readme${at}.ts`), block.split("```")[0]));
  run("npx", "tsc", "-p", "types");
});

test("the tarball carries licences, notice, readme and types", () => {
  const names = readdirSync(join(folder, "node_modules/erp-wasm"));
  for (const name of ["LICENSE-MIT", "LICENSE-APACHE", "NOTICE", "THIRD-PARTY.txt", "README.md", "CHANGELOG.md", "index.d.ts", "client.d.ts", "schema"]) {
    assert.ok(names.includes(name), name);
  }
});

test("the licences are those of the crates inside, without paths of the machine that built it", () => {
  const text = read("THIRD-PARTY.txt", dist);
  for (const crate of ["serde_json", "read-fonts", "miniz_oxide", "weezl"]) {
    assert.match(text, new RegExp(`^${crate} [0-9.]+ \\(.+\\)$`, "m"));
  }
  for (const path of ["home", "root", ".cargo", "registry"].map((name) => `/${name}/`)) assert.ok(!text.includes(path), path);
  assert.ok(!/^(aes|encoding_rs|lopdf|wasm-bindgen-macro) /m.test(text));
});
