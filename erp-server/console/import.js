// Import of master data: a file, a dry run, the import, and the runs before.

import { query } from "./api.js";
import { badge, card, element, heading, paragraph } from "./dom.js";
import { number, size, time } from "./format.js";
import { dropPlace } from "./drop.js";
import { button, field, run, select, told } from "./form.js";
import { words } from "./language.js";
import { facts, table } from "./table.js";
import { upload } from "./upload.js";

const KINDS = ["Artikel", "ArtikelMedia", "ArtikelText", "Bestand", "Deklaration", "Firma", "Kunde", "Preis", "Preisliste", "Steuer", "Verpackung"];

const isCsv = (file) => /\.(csv|txt)$/i.test(file.name);

/** The kind according to the name of a CSV file. */
function kindOf(file) {
  const name = file.name.replace(/\.\w+$/, "").toLowerCase();
  return KINDS.find((kind) => kind.toLowerCase() === name) ?? "Artikel";
}

function report(counts, dry) {
  const say = words();
  const names = ["rows", "added", "changed", "removed", "unchanged", "skipped"];
  return element(
    "div",
    { className: "stack" },
    element("p", { className: dry ? "notice info" : "good", textContent: dry ? say.dry_run_fine : say.imported }),
    facts(names.map((name) => [say[`rows_${name}`], number(counts[name])])),
    ...(counts.warnings ? [byLine(say.severity_warning, counts.warnings)] : []),
    ...(counts.missing ?? []).map((text) => element("p", { className: "notice", textContent: text })),
  );
}

/** Problems by line; their paths start with it. */
function byLine(title, problems) {
  const say = words();
  const rows = problems.map((problem) => {
    const { path } = problem;
    const [, line = "", place = path] = /^line (\d+)(?:: ?(.*))?$/.exec(path) ?? [];
    return { line, place: line && place === path ? "" : place, problem };
  });
  const columns = [
    [say.line, (row) => row.line, "amount"],
    [say.field, (row) => row.place],
    [say.problem, ({ problem }) => problem.message, "wide"],
  ];
  return table(title, columns, rows).frame;
}

function problems(error) {
  const say = words();
  if (error.problems.length === 0) return element("p", { className: "notice", textContent: told(error) });
  return element(
    "div",
    { className: "stack" },
    element("p", { className: "notice", textContent: say.nothing_imported(error.problems.length) }),
    byLine(say.problems, error.problems),
  );
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

/** The chosen file, with the possible actions. */
function chosenCard(file, send) {
  const say = words();
  const kind = select("kind", KINDS.map((name) => [name, name]), kindOf(file));
  const bar = element("progress", { max: 1, value: 0, hidden: true, "aria-label": say.sending });
  const result = element("div", { role: "status" });
  const buttons = [];
  const start = (dry) => async () => {
    for (const one of buttons) one.disabled = true;
    bar.hidden = false;
    try {
      const counts = await send(file, isCsv(file) ? kind.value : undefined, dry, (part) => (bar.value = part));
      result.replaceChildren(report(counts, dry));
    } catch (error) {
      if (error.name !== "AbortError") result.replaceChildren(error.problems ? problems(error) : paragraph(told(error), "notice"));
    } finally {
      bar.hidden = true;
      for (const one of buttons) one.disabled = false;
    }
  };
  buttons.push(button(say.dry_run, start(true)), button(say.do_import, start(false), "main"));
  return element(
    "section",
    { className: "card" },
    element("h2", { textContent: file.name }),
    paragraph(size(file.size), "hint"),
    isCsv(file) ? field(say.kind_of_rows, kind) : undefined,
    element("div", { className: "actions" }, buttons),
    bar,
    result,
  );
}

export async function show({ place, api, signal }) {
  const say = words();
  const chosen = element("div");
  const history = element("div");
  const send = async (file, kind, dry, onProgress) => {
    const target = `/admin/import${query({ kind, dry_run: dry ? "true" : undefined })}`;
    const type = isCsv(file) ? "text/csv" : "application/x-ndjson";
    try {
      return await upload(api, target, file, type, { onProgress, signal });
    } finally {
      if (!dry && !signal.aborted) run(history, () => showHistory(history, api, signal));
    }
  };
  const accept = ".ndjson,.jsonl,.json,.csv,.txt";
  place.append(
    heading(say.nav_import, say.import_about),
    dropPlace(say.drop_import, accept, (file) => chosen.replaceChildren(chosenCard(file, send))),
    chosen,
    history,
  );
  await showHistory(history, api, signal);
}
