import { init, zugferdCombine } from "/erp-wasm/zugferd.js";

// At once: what is sent before the module runs must find a listener.
onmessage = async ({ data: { pdf, xml } }) => {
  await init();
  const combined = zugferdCombine(pdf, xml);
  postMessage(combined, [combined.pdf.buffer]);
};
