// Import of master data: a file, a dry run, the import, and the runs before.

import { query } from "./api.js";
import { badge, card, element, heading, link, paragraph, short } from "./dom.js";
import { number, size, time } from "./format.js";
import { dropPlace } from "./drop.js";
import { button, field, run, select, told } from "./form.js";
import { words } from "./language.js";
import { label } from "./rows.js";
import { nameOf, save } from "./save.js";
import { table } from "./table.js";
import { upload } from "./upload.js";

/** What a table can hold. Tax codes and whole price lists hold lists of their own, for which a line of a table has no place. */
const KINDS = ["Artikel", "Preis", "Bestand", "Kunde", "Verpackung", "ArtikelText", "Deklaration", "ArtikelMedia", "Firma"];
const OUTCOMES = ["added", "changed", "removed", "unchanged", "skipped"];
const LETTERS_SHOWN = 60;

const isCsv = (file) => /\.(csv|txt)$/i.test(file.name);

/** The kind of a table whose columns do not tell it to the server: as the name of the file begins. */
const kindOf = ({ name }) => KINDS.findLast((kind) => name.toLowerCase().startsWith(kind.toLowerCase())) ?? "Artikel";

/** A member of a row as a table has place for it. */
const cell = (value = "") => short(typeof value === "object" ? JSON.stringify(value) : String(value), LETTERS_SHOWN);

/** The first rows as the server understood them, a table for each kind. */
function firstRows(rows = []) {
  const say = words();
  const all = rows.map((row) => Object.entries(row)[0]);
  return Object.entries(Object.groupBy(all, ([kind]) => kind)).map(([kind, some]) => {
    // What a row is of comes first.
    const names = [...new Set(some.flatMap(([, row]) => Object.keys(row)))].sort((one, other) => other.endsWith("Nr") - one.endsWith("Nr"));
    const columns = names.map((name) => [label(name, kind), ([, row]) => cell(row[name]), typeof some[0][1][name] === "number" ? "amount" : ""]);
    const title = say.first_rows(say[`kind_${kind}`]);
    return element("div", { className: "stack" }, element("h3", { textContent: title }), table(title, columns, some).frame);
  });
}

function report(counts, dry) {
  const say = words();
  const { warnings = [] } = counts;
  const ofLines = warnings.filter(({ path }) => path);
  const done = OUTCOMES.filter((name) => counts[name] > 0).map((name) => say[`count_${name}`](number(counts[name])));
  return element(
    "div",
    { className: "stack" },
    element("p", { className: dry ? "notice info" : "good", textContent: (dry ? say.dry_run_fine : say.imported)(number(counts.rows), done.join(", ") || "–") }),
    ...[...warnings.filter(({ path }) => !path).map(({ message }) => message), ...(counts.missing ?? [])].map((text) => paragraph(text.replace(/^./, (first) => first.toUpperCase()), "notice warn")),
    ...(ofLines.length > 0 ? [byLine(say.severity_warning, ofLines)] : []),
    ...(dry ? firstRows(counts.preview) : []),
  );
}

/** Problems by line; their paths start with it. */
function byLine(title, problems) {
  const say = words();
  const rows = problems.map(({ path, message }) => {
    const [, line = "", place = path] = /^line (\d+)(?:: ?(.*))?$/.exec(path) ?? [];
    return [line, line && place === path ? "" : place, message];
  });
  const columns = [[say.line, ([line]) => line, "amount"], [say.field, ([, place]) => place], [say.problem, ([, , message]) => message, "wide"]];
  return table(title, columns, rows).frame;
}

function problems(error) {
  const say = words();
  if (!error.problems?.length) return paragraph(told(error), "notice");
  return element("div", { className: "stack" }, paragraph(say.nothing_imported(error.problems.length), "notice"), byLine(say.problems, error.problems));
}

async function showHistory(place, api, signal) {
  const say = words();
  const runs = await api.get("/admin/imports", signal);
  const columns = [
    [say.time, (one) => time(one.at), "when"],
    [say.by, (one) => one.user],
    [say.state, (one) => badge(say[`run_${one.state}`] ?? one.state, one.state === "done" ? "good" : "wrong")],
    [say.rows_rows, (one) => number(one.rows), "amount"],
    [say.rows_added, (one) => number(one.added), "amount"],
    [say.rows_changed, (one) => number(one.changed), "amount"],
    [say.rows_failed, (one) => number(one.failed), "amount"],
  ];
  place.replaceChildren(card(say.history, runs.length > 0 ? table(say.history, columns, runs).frame : paragraph(say.no_imports, "hint")));
}

/** The chosen file: it is tried at once, and imported once the trial finds nothing wrong. */
function chosenCard(file, send) {
  const say = words();
  const kind = select("kind", [["", say.kind_of_columns], ...KINDS.map((name) => [name, say[`kind_${name}`]])]);
  const bar = element("progress", { max: 1, value: 0, "aria-label": say.sending });
  const result = element("div", { role: "status" });
  const again = button(say.dry_run, () => start(true));
  const go = button(say.do_import, () => start(false), "main");
  let latest;
  const start = async (dry) => {
    // Another kind may be chosen while a trial runs.
    latest?.abort();
    const { signal } = (latest = new AbortController());
    again.disabled = go.disabled = !dry;
    go.hidden = go.hidden || dry;
    bar.hidden = false;
    try {
      const counts = await send(file, isCsv(file) ? kind.value : undefined, dry, { onProgress: (part) => (bar.value = part), signal });
      result.replaceChildren(report(counts, dry));
      go.hidden = !dry;
      kind.value = Object.keys(counts.preview?.[0] ?? {})[0] ?? kind.value;
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.status === 400 && isCsv(file) && kind.value === "") {
        kind.value = kindOf(file);
        return start(true);
      }
      result.replaceChildren(problems(error));
    }
    bar.hidden = true;
    again.disabled = go.disabled = false;
  };
  go.hidden = true;
  kind.addEventListener("change", () => start(true));
  start(true);
  return element(
    "section",
    { className: "card" },
    element("h2", { textContent: file.name }),
    paragraph(size(file.size), "hint"),
    isCsv(file) ? field(say.kind_of_rows, kind) : undefined,
    bar,
    result,
    element("div", { className: "actions" }, go, again),
  );
}

/** A table without rows for each kind, whose columns can be filled in. */
function templates(api) {
  const say = words();
  const shown = card(say.templates, paragraph(say.templates_about));
  const buttons = KINDS.filter((kind) => kind !== "Firma" || api.may("readFirstCompany")).map((kind) =>
    button(say[`kind_${kind}`], () => run(shown, async () => {
      const answer = await api.send(`/admin/import/template${query({ kind })}`);
      save(await answer.blob(), nameOf(answer, `${kind}.csv`));
    }), "small"),
  );
  shown.append(element("div", { className: "actions" }, buttons), element("p", {}, link("/docs#op-importMasterData", say.templates_docs)));
  return shown;
}

export async function show({ place, api, signal }) {
  const say = words();
  const chosen = element("div");
  const history = element("div");
  const send = async (file, kind, dry, sending) => {
    const target = `/admin/import${query({ kind, dry_run: dry ? "true" : undefined })}`;
    const type = isCsv(file) ? "text/csv" : "application/x-ndjson";
    try {
      return await upload(api, target, file, type, { ...sending, signal: AbortSignal.any([signal, sending.signal]) });
    } finally {
      if (!dry && !signal.aborted) run(history, () => showHistory(history, api, signal));
    }
  };
  const accept = ".ndjson,.jsonl,.json,.csv,.txt";
  const take = (file) => chosen.replaceChildren(chosenCard(file, send));
  place.append(heading(say.nav_import, say.import_about), dropPlace(say.drop_import, accept, take), chosen, templates(api), history);
  await showHistory(history, api, signal);
}
