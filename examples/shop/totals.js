// The sum of a basket, as the package computes it.

import { element } from "./dom.js";
import { problemList, sums } from "./document.js";
import { words } from "./language.js";
import { load } from "./package.js";

let loading;

/** The package, which is loaded when there is something to add up; nothing when it is not built. */
const rules = () => (loading ??= load(() => import("./erp-wasm/index.js")));

/** `{totals}`, `{problems}`, or `{}` without the package. */
export async function totalsOf({ basket, customer }) {
  const computed = basket.size > 0 ? await rules() : undefined;
  if (computed === undefined) return { isMissing: basket.size > 0 };
  try {
    const settings = { customerTaxRate: customer.WUSTSatz, language: document.documentElement.lang };
    return { totals: computed.totalsOf({ Positionen: basket.positions }, basket.articles, settings) };
  } catch (error) {
    return { problems: error.problems?.length > 0 ? error.problems : [error] };
  }
}

/** The sums, or why there are none. */
export function sumsOf({ totals, problems, isMissing }) {
  if (isMissing) return [element("p", { className: "notice info", textContent: words().live_totals })];
  if (problems) return [element("p", { className: "problem", textContent: words().no_total }), problemList(problems)];
  return [sums(totals.GrundDaten, totals.MWSTRekapitulation)];
}
