// Work on PDF files, away from the page, so that it stays quick. One job for each message:
// `{job: "read", pdf}` or `{job: "combine", pdf, xml}` with files. Answers `{progress}` on the way, and at the
// end `{result}` or `{error}`.

const tell = (phase, file, done, total) => postMessage({ progress: { phase, file, done, total } });

/** The bytes of a file, with progress. */
async function bytes(file) {
  const all = new Uint8Array(file.size);
  const reader = file.stream().getReader();
  let at = 0;
  for (;;) {
    tell("read", file.name, at, file.size);
    const { done, value } = await reader.read();
    if (done) return all;
    all.set(value, at);
    at += value.length;
  }
}

function refusal(error) {
  const { code = "internal", message, reasons = [] } = error;
  return { code, message, reasons };
}

/** What a PDF is and the invoice in it; either may fail while the other does not. */
async function read(rules, { pdf }) {
  const content = await bytes(pdf);
  const result = { name: pdf.name };
  tell("extract");
  try {
    result.extracted = rules.zugferdExtract(content);
  } catch (error) {
    result.refused = refusal(error);
  }
  tell("inspect");
  try {
    result.inspected = rules.zugferdInspect(content);
  } catch (error) {
    result.unseen = refusal(error);
  }
  return result;
}

async function combine(rules, { pdf, xml }) {
  const invoice = await bytes(xml);
  const content = await bytes(pdf);
  tell("combine");
  const combined = rules.zugferdCombine(content, invoice);
  return { name: pdf.name, xml: invoice, combined };
}

async function run(task) {
  tell("start");
  let rules;
  try {
    rules = await import("./erp-wasm/zugferd.js");
    await rules.init();
  } catch (error) {
    console.warn(error);
    return { error: { code: "not_built" } };
  }
  try {
    return { result: await (task.job === "read" ? read : combine)(rules, task) };
  } catch (error) {
    return { error: refusal(error) };
  }
}

onmessage = async ({ data }) => postMessage(await run(data));
