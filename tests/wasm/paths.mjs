// Where things are.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

export const root = new URL("../../", import.meta.url);
export const dist = new URL("erp-wasm/dist/", root);
export const golden = new URL("tests/golden/wasm/", root);
export const fixtures = new URL("tests/fixtures/zugferd/", root);
/** Files that are not part of the project; they may be missing. */
export const training = new URL("../shared/data/zugferd/", root);
export const target = process.env.CARGO_TARGET_DIR
  ? pathToFileURL(`${resolve(process.env.CARGO_TARGET_DIR)}/`)
  : new URL("target/", root);

export const read = (name, folder = dist) => readFileSync(new URL(name, folder), "utf8");
export const cases = () => JSON.parse(read("cases.json", golden));
export const goldenAnswers = () => read("answers.txt", golden);
/** What native code makes of invoice PDFs, see erp-wasm/examples/native_zugferd.rs. */
export const nativeInvoices = () => JSON.parse(read("native-zugferd.json", target));
