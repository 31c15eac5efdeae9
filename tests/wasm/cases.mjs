// Runs the cases of tests/golden/wasm with the exports of the module; for node and browsers.

const argument = (value) =>
  ["string", "boolean"].includes(typeof value) ? value : JSON.stringify(value);

/** The last argument of a validation is the language. */
const given = (call, args) => (call.startsWith("validate") ? [argument(args[0]), args[1], args[2] ?? ""] : args.map(argument));

/** One line for each case: its name and the result. `towns` is the module's `Towns` with data. */
export function answers(cases, module, towns) {
  const line = ({ name, call, args }) => {
    const answer = call === "checkTown" ? towns.check(argument(args[0]), args[1] ?? "") : module[call](...given(call, args));
    return `${name}\t${answer}\n`;
  };
  return cases.map(line).join("");
}

/** The cases that the small build supports. */
export const ofAddresses = (cases) =>
  cases.filter(({ call }) => call === "validateAddress" || call === "checkTown");

/** The golden results of these cases. */
export function expected(golden, cases) {
  const names = new Set(cases.map(({ name }) => name));
  const lines = golden.split("\n").filter((line) => names.has(line.split("\t")[0]));
  return lines.map((line) => `${line}\n`).join("");
}
