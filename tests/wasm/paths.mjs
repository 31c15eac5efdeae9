// The paths of files and folders.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

export const root = new URL("../../", import.meta.url);
export const dist = new URL("erp-wasm/dist/", root);
export const golden = new URL("tests/golden/wasm/", root);
export const fixtures = new URL("tests/fixtures/zugferd/", root);
export const checkFixtures = new URL("tests/fixtures/check/", root);
export const target = process.env.CARGO_TARGET_DIR
  ? pathToFileURL(`${resolve(process.env.CARGO_TARGET_DIR)}/`)
  : new URL("target/", root);
/** Folders of invoices by the first part of their names in the cases of native code. */
export const invoiceFolders = {
  fixtures,
  check: checkFixtures,
  documents: new URL("invoice-cases/", target),
};

export const read = (name, folder = dist) => readFileSync(new URL(name, folder), "utf8");
export const cases = () => JSON.parse(read("cases.json", golden));
export const goldenAnswers = () => read("answers.txt", golden);

/** The results of native code for invoices, see erp-wasm/examples/native_zugferd.rs: the cases of its PDF functions, or
 * those of the check. */
export function nativeInvoices({ check = false } = {}) {
  const { options, cases } = JSON.parse(read("native-zugferd.json", target));
  return { options, cases: cases.filter(({ call }) => (call === "checkInvoice") === check) };
}

/** The bytes of an invoice of these cases. */
export function invoiceFile(name) {
  const [folder, ...rest] = name.split("/");
  return new Uint8Array(readFileSync(new URL(rest.map(encodeURIComponent).join("/"), invoiceFolders[folder])));
}
