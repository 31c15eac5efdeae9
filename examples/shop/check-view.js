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

/** The findings of a severity, and how many there are. */
function findingsOf(report, severity) {
  const findings = report.findings.filter((finding) => finding.severity === severity);
  const { fatal, warnings, information } = report;
  return { findings, count: { fatal, warning: warnings, information }[severity] };
}

/** One sentence about a report. */
export function verdict(report) {
  if (isOther(report)) return words().not_checked;
  const counts = SEVERITIES.map((severity) => {
    const { count } = findingsOf(report, severity);
    return count > 0 && words().findings[severity](count);
  });
  return words()[report.valid ? "is_valid" : "is_invalid"](counts.filter(Boolean).join(", "));
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
        [words().source, [finding.source, ...finding.also].join(", ")],
        [words().business_terms, finding.terms.join(", ")],
        [words().place, place(finding)],
      ],
      "facts finding-facts",
    ),
  );
}

function group(report, severity) {
  const { findings, count } = findingsOf(report, severity);
  if (count === 0) return undefined;
  const unlisted = count - findings.length;
  const missing = unlisted > 0 ? words().not_listed(number(unlisted)) : undefined;
  return element(
    "section",
    { className: `findings ${severity}` },
    element("h3", { textContent: words().findings[severity](count) }),
    element("ol", {}, ...findings.map(findingItem)),
    missing && element("p", { className: "hint", textContent: missing }),
  );
}

function other(report) {
  return [
    element("p", { className: "notice info", textContent: words().not_checked }),
    element("p", {}, ...marked(sentence(report.findings[0]))),
  ];
}

/** The schema of the structure; UBL is judged without one. */
const structure = (report) => (report.structure === "not checked" ? words().structure_not_checked : report.structure);

function judged(report) {
  return [
    element("p", { className: report.valid ? "good" : "notice", textContent: verdict(report) }),
    facts([
      [words().guideline, report.profile],
      [words().checked_structure, structure(report)],
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
