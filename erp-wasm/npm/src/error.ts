import type { ProblemCode } from "./wire.js";

/** One thing that is wrong with an input. */
export interface Problem {
  /** Where, in wire names: `Positionen[2].ArtNr`; empty for the input itself. */
  readonly path: string;
  /** A stable word for programs, for example `too_long`. */
  readonly code: ProblemCode;
  /** A sentence for people, in English. */
  readonly message: string;
  /** The bound that was broken, when there is one. */
  readonly limit?: number;
}

/**
 * Why there is no answer:
 * - `invalid`: the input breaks rules, all of them are in `problems`;
 * - `malformed`: the input is no JSON;
 * - `not_ready`: `init` (or, for towns, `loadTowns`) has not finished;
 * - `load`: a file of the package could not be loaded;
 * - `internal`: the module failed; load the page anew and tell us.
 */
export type ErpErrorCode = "invalid" | "malformed" | "not_ready" | "load" | "internal";

/** What every function of this package throws. */
export class ErpError extends Error {
  override readonly name = "ErpError";
  readonly code: ErpErrorCode;
  /** Everything that is wrong with the input; empty unless `code` is `invalid`. */
  readonly problems: readonly Problem[];

  constructor(
    code: ErpErrorCode,
    message: string,
    problems: readonly Problem[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.problems = problems;
  }
}
