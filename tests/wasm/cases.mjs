// The cases of tests/golden/wasm, called as the module's own exports; for node and browsers alike.

const argument = (value) =>
  ["string", "boolean"].includes(typeof value) ? value : JSON.stringify(value);

/** One line for each case: its name and the answer. `towns` is the `Towns` of the module, filled. */
export function answers(cases, module, towns) {
  const line = ({ name, call, args }) => {
    const answer =
      call === "checkTown" ? towns.check(argument(args[0])) : module[call](...args.map(argument));
    return `${name}\t${answer}\n`;
  };
  return cases.map(line).join("");
}

/** The cases the small build can answer. */
export const ofAddresses = (cases) =>
  cases.filter(({ call }) => call === "validateAddress" || call === "checkTown");

/** Those of the golden answers that belong to these cases. */
export function expected(golden, cases) {
  const names = new Set(cases.map(({ name }) => name));
  const lines = golden.split("\n").filter((line) => names.has(line.split("\t")[0]));
  return lines.map((line) => `${line}\n`).join("");
}
