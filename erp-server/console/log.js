// The last lines of the server's log.

import { query } from "./api.js";
import { badge, element, heading } from "./dom.js";
import { time } from "./format.js";
import { field, filter, input, select } from "./form.js";
import { words } from "./language.js";
import { filteredList } from "./list.js";
import { every } from "./timer.js";

/** All lines that the server keeps. */
const LINES = 1_000;
const AT_ONCE = 100;
const EVERY = 5_000;

/** Fields with a column of their own, or with none. */
const SHOWN = ["timestamp", "level", "message", "span_id", "trace_id"];
const FIRST = ["method", "route", "status", "user", "micros", "bytes"];

const KINDS = { ERROR: "wrong", WARN: "wrong", INFO: "good" };

function columns() {
  const say = words();
  return [
    [say.time, (line) => time(line.timestamp), "when", undefined, (line) => line.timestamp],
    [say.level, (line) => badge(line.level ?? "", KINDS[line.level]), "", undefined, (line) => line.level],
    [say.message, (line) => [line.message, " ", element("span", { className: "hint", textContent: fieldsOf(line) })], "wide", undefined, written],
  ];
}

/** Reads of this console, which would hide everything else. */
const isOwnRead = ({ method, route, user, status }, own) =>
  method === "GET" && status < 400 && (user === own || ["page", "/health/ready"].includes(route));

/** The fields of a line besides its message, first those of the request; trace ids are for other tools. */
function fieldsOf(line) {
  const others = Object.keys(line).filter((name) => !SHOWN.includes(name) && !FIRST.includes(name));
  const text = [...FIRST.filter((name) => name in line), ...others].map((name) => {
    const value = line[name];
    return `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`;
  });
  return text.join(" ");
}

const written = (line) => `${line.message} ${fieldsOf(line)}`;

export async function show({ place, api, signal }) {
  const say = words();
  const levels = [["", say.level_others], ["info", say.level_all], ["warn", say.level_warn], ["error", say.level_error]];
  const follow = element("input", { type: "checkbox", name: "follow" });
  const asked = filter(
    [field(say.level, select("level", levels)), field(say.text, input("text", { type: "search" })), element("label", { className: "check" }, follow, say.follow)],
    say.show,
  );
  place.append(heading(say.nav_log, say.log_about));
  await filteredList(place, asked, ({ level, text }) => {
    const wanted = (line) => (level !== "" || !isOwnRead(line, api.user)) && written(line).toLowerCase().includes(text.toLowerCase());
    let lines;
    return {
      caption: say.nav_log,
      columns: columns(),
      none: say.no_lines,
      file: { name: "log" },
      load: async (from = 0) => {
        lines ??= (await api.get(`/admin/log${query({ limit: LINES, level })}`, signal)).filter(wanted);
        const next = from + AT_ONCE;
        return { data: lines.slice(from, next), next: next < lines.length ? next : undefined };
      },
    };
  }, signal);
  every(EVERY, signal, () => follow.checked && asked.onValues(asked.values()));
}
