// Work on invoices, away from the page, so that it stays quick. One job for each message:
// `{job: "check", xml}`, `{job: "read", pdf}` or `{job: "combine", pdf, xml}` with files. Sends `{progress}` on the
// way, and at the end `{result}` or `{error}`.

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

/** An entry of the package, started; one that cannot be loaded has not been built. */
async function entry(name) {
  try {
    const module = await import(`./erp-wasm/${name}.js`);
    await module.init();
    return module;
  } catch (error) {
    console.warn(error);
    throw { code: "not_built" };
  }
}

/** The report on an XML, and as a page in both languages, and what the invoice says. Without it the rest of a result is still of use. */
async function checked(xml, name) {
  tell("check");
  try {
    const { check, readInvoice, reportHtml } = await entry("check");
    const [en, de] = ["en", "de"].map((language) => reportHtml(xml, { language, name }));
    const report = check(xml);
    // What is no invoice has a report all the same.
    const said = report.rules.length > 0 ? readInvoice(xml) : undefined;
    return { report, html: { en, de }, said };
  } catch (error) {
    return { unchecked: refusal(error) };
  }
}

/** What a PDF is and the invoice in it; either may fail while the other does not. */
async function read({ pdf }) {
  const rules = await entry("zugferd");
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
  return { ...result, ...(result.extracted && (await checked(result.extracted.xml, pdf.name))) };
}

async function combine({ pdf, xml }) {
  const rules = await entry("zugferd");
  const invoice = await bytes(xml);
  const content = await bytes(pdf);
  tell("combine");
  const combined = rules.zugferdCombine(content, invoice);
  return { name: pdf.name, combined, ...(await checked(invoice, xml.name)) };
}

async function check({ xml }) {
  return { name: xml.name, ...(await checked(await bytes(xml), xml.name)) };
}

const JOBS = { check, combine, read };

async function run(task) {
  tell("start");
  try {
    return { result: await JOBS[task.job](task) };
  } catch (error) {
    return { error: refusal(error) };
  }
}

onmessage = async ({ data }) => postMessage(await run(data));
