/**
 * Only addresses: the small build, for forms that need nothing else.
 *
 * @module erp-wasm/address
 */

import type { Json, Source } from "./border.js";
import type { Problem } from "./error.js";
import { Part, type Reading, type Speaking } from "./part.js";
import type { TownAnswer, TownQuestion } from "./towns.js";
import * as glue from "./wasm/address/erp_wasm.js";
import type { AddressBody } from "./wire.js";

const part = new Part(
  glue,
  new URL("./wasm/address/erp_wasm_bg.wasm", import.meta.url),
  new URL("./towns_ch_li.txt", import.meta.url),
);

/** Starts the module; everything else needs it first. Calling it again costs nothing. */
export function init(source?: Source | WebAssembly.Module): Promise<void> {
  return part.init(source);
}

/**
 * Loads towns for `checkTown` and returns the number of names: without an argument those of
 * Switzerland and Liechtenstein, which are part of the package.
 */
export function loadTowns(source?: Source): Promise<number> {
  return part.loadTowns(source);
}

/** The version of the package. */
export function version(): string {
  return part.version();
}

/** Everything that is wrong with an address; empty when nothing is. */
export function validateAddress(address: Json<AddressBody>, how?: Reading): Problem[] {
  return part.validateAddress(address, how);
}

/** How postal code and town of an address fit together; needs `loadTowns` first. */
export function checkTown(address: Json<TownQuestion>, how?: Speaking): TownAnswer {
  return part.checkTown(address, how);
}

export type { Json, Source } from "./border.js";
export { ErpError, type ErpErrorCode, type ErpErrorInfo, type PdfaReason, type Problem } from "./error.js";
export type { Reading, Speaking } from "./part.js";
export type { Outcome, Place, Stage, TownAnswer, TownQuestion } from "./towns.js";
export type { AddressBody, ProblemCode } from "./wire.js";
