// The size of what visitors download, compressed as servers do. A build with WASM_SMALL=true is smaller.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { dist } from "./paths.mjs";

const FACE = ["border.js", "error.js", "module.js"];
const ADDRESS_FORM = [
  ...FACE,
  "part.js",
  "address.js",
  "wasm/address/erp_wasm.js",
  "wasm/address/erp_wasm_bg.wasm",
  "towns_ch_li.txt",
];
const SHOP = [
  ...FACE,
  "part.js",
  "index.js",
  "wasm/shop/erp_wasm.js",
  "wasm/shop/erp_wasm_bg.wasm",
  "towns_ch_li.txt",
];
const CLIENT = ["client.js", "client/client.js", "client/transport.js", "client/server_error.js"];
const INVOICES = [
  ...FACE,
  "zugferd.js",
  "wasm/zugferd/erp_wasm.js",
  "wasm/zugferd/erp_wasm_bg.wasm",
];

const CHECK = [
  ...FACE,
  "check.js",
  "wasm/check/erp_wasm.js",
  "wasm/check/erp_wasm_bg.wasm",
];

const compressed = (name) => gzipSync(readFileSync(new URL(name, dist)), { level: 9 }).length;
const sum = (names) => names.map(compressed).reduce((all, one) => all + one, 0);

for (const [what, names, limit] of [
  ["the client", CLIENT, 7_900],
  ["an address form", ADDRESS_FORM, 142_000],
  ["a shop", SHOP, 304_000],
  ["the entry for invoice PDFs", INVOICES, 456_000],
  ["the check of invoices", CHECK, 391_000],
  // The TypeScript part and the towns once, and the modules of all entries.
  ["everything", [...new Set([...SHOP, ...CLIENT, ...INVOICES, ...CHECK])], 1_144_000],
]) {
  test(`${what} costs at most ${limit} bytes`, (context) => {
    const bytes = sum(names);
    context.diagnostic(`${what}: ${bytes} bytes`);
    assert.ok(bytes <= limit, `${what} costs ${bytes} bytes`);
  });
}
