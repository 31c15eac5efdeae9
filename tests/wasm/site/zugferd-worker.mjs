import { init, zugferdCombine } from "/erp-wasm/zugferd.js";

// Set immediately, so that messages sent before the module runs are received.
onmessage = async ({ data: { pdf, xml } }) => {
  await init();
  const combined = zugferdCombine(pdf, xml);
  postMessage(combined, [combined.pdf.buffer]);
};
