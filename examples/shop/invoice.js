// E-invoices: an XML or the invoice in a PDF is shown and checked, a PDF and an XML are combined, in a worker.

import { isNotXml, reportCard, verdict } from "./check-view.js";
import { element, find, size } from "./dom.js";
import { outcomeCard, pdfCard, reasonList, steps } from "./invoice-view.js";
import { addWords, onLanguage, words } from "./language.js";
import { TOOL_WORDS } from "./tool-words.js";

addWords(TOOL_WORDS);

const drop = find("#drop");
const input = find("#files");
const state = find("#invoice-state");
const result = find("#result");
const work = find("#work");
const chosen = { pdf: undefined, xml: undefined };
/** The most that the package reads. */
const LARGEST = 256 * 2 ** 20;
/** What is to be said of files that are not used. */
let hint = () => "";
let worker;
/** Shows the result in the language of the page; replaced by every result. */
let show = () => undefined;
let addresses = [];

/** PDF or XML, by the first bytes: names and types of files may be anything. */
async function kindOf(file) {
  const bytes = new Uint8Array(await file.slice(0, 1024).arrayBuffer());
  const head = new TextDecoder("latin1").decode(bytes);
  if (head.includes("%PDF-")) return "pdf";
  const start = head.replace(/^(\u00ef\u00bb\u00bf|\u00fe\u00ff|\u00ff\u00fe)/, "").replaceAll("\0", "").trimStart();
  return start.startsWith("<") ? "xml" : undefined;
}

/** Takes files to those that are there; after a PDF and an XML the next files replace them. */
async function take(files) {
  if (chosen.pdf && chosen.xml) Object.assign(chosen, { pdf: undefined, xml: undefined });
  const strange = [];
  const spare = [];
  const taken = {};
  for (const file of files) {
    const kind = await kindOf(file);
    if (kind === undefined) strange.push(file.name);
    else if (taken[kind]) spare.push(file.name);
    else taken[kind] = file;
  }
  Object.assign(chosen, taken);
  showChosen();
  hint = spare.length > 0 ? () => words().more_files(spare.join(", ")) : () => "";
  const large = Object.values(chosen).find((file) => file?.size > LARGEST);
  if (strange.length > 0) say(() => words().not_these(strange.join(", ")));
  else if (large) say(() => `${large.name}: ${words().failed(words().file_limit(size(LARGEST)))}`);
  else if (chosen.pdf && chosen.xml) start({ job: "combine", ...chosen }, combined);
  else if (chosen.pdf) start({ job: "read", pdf: chosen.pdf }, read);
  else if (chosen.xml) start({ job: "check", xml: chosen.xml }, checked);
}

function showChosen() {
  const chips = Object.entries(chosen).filter(([, file]) => file !== undefined);
  const made = chips.map(([kind, file]) =>
    element(
      "li",
      {},
      file.name,
      element("button", {
        type: "button",
        className: "quiet",
        textContent: "×",
        "aria-label": words().remove_named(file.name),
        onclick: () => {
          chosen[kind] = undefined;
          showChosen();
          input.focus();
        },
      }),
    ),
  );
  find("#chosen").replaceChildren(...made);
}

/** Says one thing in place of an earlier result. */
function say(text) {
  worker?.terminate();
  end();
  finish(() => {
    fill(() => []);
    state.textContent = text();
  });
}

/** Gives a task to a new worker; an earlier one is not needed any more. */
function start(task, done) {
  worker?.terminate();
  worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  show = () => undefined;
  result.replaceChildren();
  state.textContent = "";
  work.hidden = false;
  worker.onmessage = ({ data }) => {
    if (data.progress) return progress(data.progress);
    end();
    if (data.result) return done(data.result);
    return finish(() => refused(data.error));
  };
  worker.onerror = () => {
    end();
    finish(() => refused({ code: "not_built" }));
  };
  worker.postMessage(task);
}

function progress({ phase, file, done, total }) {
  find("#phase").textContent = phase === "read" ? words().phase_read(file) : words()[`phase_${phase}`];
  const bar = find("#progress");
  if (total > 0) bar.value = done / total;
  else bar.removeAttribute("value");
}

function end() {
  worker?.terminate();
  worker = undefined;
  work.hidden = true;
}

/** Shows a result, now and after every change of language. */
function finish(shown) {
  show = shown;
  show();
}

function whyNot({ code, message }) {
  if (code === "not_built") return words().not_built;
  return words().failed(words().error_words[code] ?? message);
}

function refused(error) {
  state.textContent = whyNot(error);
  result.replaceChildren(...(error.reasons?.length > 0 ? [reasonList(error.reasons)] : []));
}

/** A link that saves bytes. */
function saveLink(text, bytes, name, type) {
  const href = URL.createObjectURL(new Blob([bytes], { type }));
  addresses.push(href);
  return element("a", { className: "button main", href, download: name, textContent: text });
}

/** Replaces the content with the result of `build`. */
function fill(build) {
  for (const address of addresses) URL.revokeObjectURL(address);
  addresses = [];
  result.replaceChildren(...build().filter(Boolean));
}

/** What is said of a result at once; a screen reader reads it out. */
const summary = (done, { report }) => [hint(), done, report && verdict(report)].filter(Boolean).join(" ");

/** The report with links that save it and what the invoice says, or why there is none. */
function reportOf({ name, html, said, unchecked }) {
  if (!html) return [unchecked && notice(unchecked)];
  const report = html[document.documentElement.lang] ?? html.en;
  return [
    reportCard(report),
    saveLink(words().save_report, report, `${name}.html`, "text/html"),
    said && saveLink(words().save_json, JSON.stringify(said, undefined, 2), `${name}.json`, "application/json"),
  ];
}

function read(told) {
  finish(() => {
    const { extracted, refused: why, inspected, unseen } = told;
    // Only an invoice that was understood is reported as read.
    const done = extracted ? words().invoice_done(told.name) : `${told.name}: ${whyNot(why ?? unseen)}`;
    state.textContent = summary(done, told);
    fill(() => [
      ...reportOf(told),
      extracted && saveLink(words().save_xml, extracted.xml, extracted.fileName, "application/xml"),
      inspected && pdfCard(inspected),
      extracted && steps(extracted.steps),
    ]);
  });
}

const notice = (error) => element("p", { className: "notice", textContent: whyNot(error) });

function combined(told) {
  finish(() => {
    const name = told.name.replace(/(\.pdf)?$/i, "-hybrid.pdf");
    state.textContent = summary(words().combine_done, told);
    fill(() => [
      outcomeCard(told.combined, saveLink(words().save_pdf, told.combined.pdf, name, "application/pdf")),
      ...reportOf(told),
    ]);
  });
}

function checked(told) {
  // What is not XML does not wait for a PDF.
  if (isNotXml(told.report)) {
    chosen.xml = undefined;
    showChosen();
  }
  finish(() => {
    state.textContent = summary(words().invoice_done(told.name), told);
    fill(() => reportOf(told));
  });
}

for (const name of ["dragenter", "dragover"]) {
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
}
for (const name of ["dragleave", "drop"]) {
  drop.addEventListener(name, () => drop.classList.remove("over"));
}
drop.addEventListener("drop", (event) => take(event.dataTransfer.files));
input.addEventListener("change", async () => {
  await take([...input.files]);
  input.value = "";
});
find("#cancel").addEventListener("click", () => {
  end();
  finish(() => (state.textContent = words().cancelled));
  input.focus();
});
onLanguage(() => {
  showChosen();
  show();
});
for (const sample of document.querySelectorAll("#samples button")) {
  sample.addEventListener("click", async () => {
    const name = sample.dataset.sample;
    const response = await fetch(`/shop/${name}`);
    Object.assign(chosen, { pdf: undefined, xml: undefined });
    await take([new File([await response.blob()], name)]);
  });
}
drop.dataset.ready = "";
