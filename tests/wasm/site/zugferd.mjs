// The functions for invoice PDFs in a page; the test calls what is put on `window`.

import * as erp from "/erp-wasm/zugferd.js";
import * as glue from "/erp-wasm/wasm/zugferd/erp_wasm.js";
import { compared, growth } from "/tests/zugferd.mjs";

async function load(name) {
  const response = await fetch(`/${name.split("/").map(encodeURIComponent).join("/")}`);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

const some = () => Promise.all([load("fixtures/a3b.pdf"), load("fixtures/xml/facturx-en16931.xml")]);

await erp.init();

window.zugferd = {
  compared: (manifest) => compared(manifest, glue, load),
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
