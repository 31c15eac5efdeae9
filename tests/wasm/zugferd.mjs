// Runs the invoice cases recorded by native code; for node and browsers.

/** The differences from native code, and the time of each function compared with it. */
export async function compared({ options, cases }, glue, load) {
  const different = [];
  const times = {};
  for (const one of cases) {
    const file = await load(one.file);
    const args = one.xml === null ? [file] : [file, await load(one.xml)];
    try {
      answer(glue, one.call, args, options);
      const start = performance.now();
      const parts = answer(glue, one.call, args, options);
      const micros = (performance.now() - start) * 1000;
      if ((await sha256(parts)) !== one.sha256) different.push(`${title(one)}: ${parts[0]}`);
      const sum = (times[one.call] ??= { micros: 0, native: 0 });
      sum.micros += micros;
      sum.native += one.micros;
    } catch (error) {
      different.push(`${title(one)}: ${error}`);
    }
  }
  return { different, times };
}

/** One line for each function: time here divided by the time of native code. */
export function ratios(times) {
  const line = ([call, { micros, native }]) =>
    `${call}: ${(micros / native).toFixed(2)} x native (${(micros / 1000).toFixed(0)} ms, native ${(native / 1000).toFixed(0)} ms)`;
  return Object.entries(times).map(line);
}

const title = ({ call, file, xml }) => [call, file, xml].filter(Boolean).join(" ");

/** The text and the bytes of a result. */
function answer(glue, call, args, options) {
  if (call === "zugferdInspect") return [glue.zugferdInspect(...args), new Uint8Array()];
  if (call === "checkInvoice") return [glue.checkInvoice(...args, "null"), new Uint8Array()];
  const file = glue[call](...args, call === "zugferdCombine" ? options : "null");
  return [file.text(), file.intoBytes()];
}

async function sha256([text, bytes]) {
  const all = await new Blob([text, bytes]).arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", all));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Growth of the module's memory in bytes while a PDF is combined 1,000 times. */
export function growth(erp, memory, pdf, xml) {
  const round = () => {
    const { pdf: hybrid } = erp.zugferdCombine(pdf, xml);
    erp.zugferdExtract(hybrid);
    erp.zugferdInspect(hybrid);
    try {
      erp.zugferdExtract(xml);
    } catch (error) {
      if (error.code !== "not_a_pdf") throw error;
    }
  };
  for (let at = 0; at < 10; at += 1) round();
  const before = memory.buffer.byteLength;
  for (let at = 0; at < 1000; at += 1) round();
  return memory.buffer.byteLength - before;
}
