// E-invoices: an XML or the one in a PDF is read and checked by the server.

import { jsonBody } from "./api.js";
import { badge, card, code, element, heading, paragraph } from "./dom.js";
import { dropPlace } from "./drop.js";
import { day, money, number } from "./format.js";
import { button, run } from "./form.js";
import { words } from "./language.js";
import { base64, save } from "./save.js";
import { facts, table } from "./table.js";

const KINDS = { fatal: "wrong", warning: "", information: "" };

/** A path whose steps stay whole where a line ends. */
const steps = (path) => element("p", { className: "hint path" }, path.split(/(?=\/)/).map((step) => element("span", { textContent: step })));

function findings(report) {
  const say = words();
  const german = document.documentElement.lang === "de";
  const columns = [
    [say.severity, (one) => badge(say[`one_${one.severity}`], KINDS[one.severity])],
    [say.rule, (one) => code(one.rule)],
    [say.line, (one) => number(one.line), "amount"],
    [say.what, (one) => [element("p", { textContent: german ? one.de : one.en }), steps(one.path)], "wide"],
  ];
  return table(say.findings, columns, report.findings).frame;
}

function verdict(name, report) {
  const say = words();
  const counts = facts([
    [say.profile, report.profile],
    [say.structure, report.structure === "not checked" ? say.structure_not_checked : report.structure],
    [say.rules, report.rules.join(", ")],
    [say.severity_fatal, number(report.fatal)],
    [say.severity_warning, number(report.warnings)],
  ]);
  const judged = report.valid ? paragraph(say.valid(name), "good") : paragraph(say.invalid(name), "notice");
  return card(say.verdict, judged, counts, report.findings.length > 0 ? findings(report) : undefined);
}

/** What an invoice says, by the numbers of its terms. */
function invoice(said) {
  const say = words();
  // What is no number, as an amount in another currency, is shown as it is.
  const value = (text, shown) => (text && !Number.isNaN(Number(text)) ? shown(Number(text)) : text);
  const amount = (text) => value(text, (sum) => money(sum, said["BT-5"]));
  const sums = said["BG-22"] ?? {};
  const columns = [
    [say.name, (line) => line["BT-153"], "wide"],
    [say.count, (line) => value(line["BT-129"], number), "amount"],
    [say.price, (line) => value(line["BT-146"], (price) => money(price)), "amount"],
    [say.sum, (line) => value(line["BT-131"], (sum) => money(sum)), "amount"],
  ];
  return card(
    say.invoice_title(said["BT-1"] ?? ""),
    facts([
      [say.date, Number.isNaN(Date.parse(said["BT-2"])) ? said["BT-2"] : day(said["BT-2"])],
      [say.seller, said["BG-4"]?.["BT-27"]],
      [say.buyer, said["BG-7"]?.["BT-44"]],
      [say.net, amount(sums["BT-109"])],
      [say.tax, amount(sums["BT-110"])],
      [say.total, amount(sums["BT-112"])],
      [say.due, amount(sums["BT-115"])],
    ]),
    said["BG-25"] ? table(say.positions, columns, said["BG-25"]).frame : undefined,
  );
}

async function check(api, file, result, signal) {
  const say = words();
  const pdf = (await file.slice(0, 5).text()) === "%PDF-";
  const sent = { [pdf ? "PDF" : "XML"]: await base64(file) };
  const ask = (Operation) => api.send("/www/zugferd", { method: "POST", ...jsonBody({ Operation, ...sent }), signal });
  const { data: report } = await (await ask("Check")).json();
  // What is no invoice has a report all the same.
  const said = report.rules.length > 0 ? (await (await ask("Read")).json()).data : undefined;
  const name = file.name.replace(/\.\w+$/, "");
  const saved = (Operation, as) => run(result, async () => save(await (await ask(Operation)).blob(), as));
  result.replaceChildren(
    verdict(file.name, report),
    ...(said ? [invoice(said)] : []),
    element(
      "div",
      { className: "actions" },
      button(say.save_report, () => saved("Report", `${file.name}.html`)),
      pdf ? button(say.save_xml, () => saved("Extract", `${name}.xml`)) : undefined,
    ),
  );
}

/** Invoices to try the check with. */
function samples(take) {
  const buttons = Object.entries({ valid: "sample-valid.xml", broken: "sample-broken.xml", pdf: "sample.pdf" }).map(([name, file]) =>
    button(words()[`sample_${name}`], () => take(fetch(`/console/${file}`).then(async (answer) => new File([await answer.blob()], file))), "small"),
  );
  return element("div", { className: "actions" }, paragraph(words().samples, "hint"), buttons);
}

export async function show({ place, api, signal }) {
  const say = words();
  const result = element("div", { className: "stack", role: "status" });
  const accept = ".pdf,.xml,application/pdf,application/xml,text/xml";
  const take = (file) => {
    result.replaceChildren(paragraph(say.checking, "hint"));
    run(result, async () => check(api, await file, result, signal)).finally(() => result.querySelector(":scope > .hint")?.remove());
  };
  const drop = dropPlace(say.drop_invoice, accept, take);
  place.append(heading(say.nav_invoices, say.invoices_about), drop, samples(take), result);
}
