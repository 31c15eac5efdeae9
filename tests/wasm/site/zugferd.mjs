// The functions for invoices in a page; the test calls the functions on `window`.

import * as erp from "/erp-wasm/zugferd.js";
import * as glue from "/erp-wasm/wasm/zugferd/erp_wasm.js";
import * as checks from "/erp-wasm/check.js";
import * as checkGlue from "/erp-wasm/wasm/check/erp_wasm.js";
import { compared, growth } from "/tests/zugferd.mjs";

async function load(name) {
  const response = await fetch(`/${name.split("/").map(encodeURIComponent).join("/")}`);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

const some = () => Promise.all([load("fixtures/a3b.pdf"), load("fixtures/xml/facturx-en16931.xml")]);

await Promise.all([erp.init(), checks.init()]);

window.zugferd = {
  compared: (manifest) => compared(manifest, glue, load),
  checked: (manifest) => compared(manifest, checkGlue, load),
  verdicts: async () => {
    const xml = await load("check/valid.xml");
    const files = [xml, new TextDecoder().decode(xml), await load("fixtures/hybrid-facturx-en16931.pdf")];
    return files.map((file) => checks.check(file)).map(({ valid, fileName }) => [valid, fileName]);
  },
  growth: async () => growth(erp, (await glue.default()).memory, ...(await some())),
  inWorker: async () => {
    const [pdf, xml] = await some();
    const worker = new Worker("/site/zugferd-worker.mjs", { type: "module" });
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve([data.outcome, data.pdf.length]);
      worker.onerror = (event) => reject(new Error(event.message));
      worker.postMessage({ pdf, xml });
    });
  },
};
