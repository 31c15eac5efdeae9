// The report of a check, for people.

import { element, facts, number } from "./dom.js";
import { words } from "./language.js";

const SEVERITIES = ["fatal", "warning", "information"];

const starts = (report, rule) => report?.findings[0]?.rule === rule;

/** Whether it is not well-formed. */
export const isNotXml = (report) => starts(report, "ERP-XML");

/** Whether it is another kind of document. */
const isOther = (report) => starts(report, "ERP-CII");

/** The sentence of a finding in the language of the page. */
const sentence = (finding) => finding[document.documentElement.lang] ?? finding.en;

/** How many findings there are of a severity; the report counts also those that it does not list. */
function counted(report, severity) {
  const { fatal, warnings, information } = report;
  return { fatal, warning: warnings, information }[severity];
}

/** One sentence about a report. */
export function verdict(report) {
  if (isOther(report)) return words().not_checked;
  const counts = SEVERITIES.filter((severity) => counted(report, severity) > 0).map((severity) =>
    words().findings[severity](counted(report, severity)),
  );
  return words()[report.valid ? "is_valid" : "is_invalid"](counts.join(", "));
}

/** A text where values and names are between back-ticks. */
const marked = (text) =>
  text.split("`").map((part, at) => (at % 2 === 0 ? part : element("code", { textContent: part })));

/** A path that may break before each of its steps. */
function path(text) {
  const steps = text.split(/(?=\/)/).flatMap((step) => [element("wbr"), step]);
  return element("code", { className: "path" }, ...steps);
}

const place = (finding) => [words().line_of_xml(finding.line), " ", path(finding.path)];

function findingItem(finding) {
  return element(
    "li",
    { className: "finding" },
    element("p", {}, ...marked(sentence(finding))),
    facts(
      [
        [words().rule, finding.rule],
        [words().business_terms, finding.terms.join(", ")],
        [words().place, place(finding)],
      ],
      "facts finding-facts",
    ),
  );
}

function group(report, severity) {
  const all = counted(report, severity);
  if (all === 0) return undefined;
  const listed = report.findings.filter((finding) => finding.severity === severity);
  const missing = all > listed.length ? words().not_listed(number(all - listed.length)) : undefined;
  return element(
    "section",
    { className: `findings ${severity}` },
    element("h3", { textContent: words().findings[severity](all) }),
    element("ol", {}, ...listed.map(findingItem)),
    missing && element("p", { className: "hint", textContent: missing }),
  );
}

function other(report) {
  return [
    element("p", { className: "notice info", textContent: words().not_checked }),
    element("p", {}, ...marked(sentence(report.findings[0]))),
  ];
}

function judged(report) {
  return [
    element("p", { className: report.valid ? "good" : "notice", textContent: verdict(report) }),
    facts([
      [words().guideline, report.profile],
      [words().checked_rules, report.rules.join(", ")],
    ]),
    ...SEVERITIES.map((severity) => group(report, severity)),
  ];
}

/** The report of a check. */
export function checkCard(report) {
  const title = element("h2", { textContent: words().check });
  const content = isOther(report) ? other(report) : judged(report);
  return element("section", { className: "card check" }, title, ...content);
}
