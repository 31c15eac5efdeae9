import type { AddressBody } from "./wire.js";

/** The members of an address that determine its location; `OrtLand` is required. */
export type TownQuestion = Pick<AddressBody, "OrtLand" | "OrtPLZ" | "OrtName"> | AddressBody;

/** A town with one of its postal codes. */
export interface Place {
  readonly country: string;
  readonly postal_code: string;
  readonly town: string;
  /** Canton or other region; empty when not known. */
  readonly region: string;
}

/** The method of a correction, the most certain first. */
export type Stage =
  | "normalised"
  | "bilingual_half"
  | "alias"
  | "municipality"
  | "edit_distance"
  | "unique_prefix"
  | "single_candidate";

/**
 * How postal code and town fit together:
 * - `unchanged`: spelled as listed;
 * - `corrected`: unambiguous, and to be spelled `to`;
 * - `conflict`: the town exists elsewhere, at `places`; postal code or town is wrong;
 * - `ambiguous`: one of `candidates` may be meant;
 * - `unknown_postal_code`: no such code in this country;
 * - `not_covered`: no towns of this country are loaded.
 */
export type Outcome =
  | { readonly outcome: "unchanged" }
  | {
      readonly outcome: "corrected";
      readonly from: string;
      readonly to: string;
      readonly stage: Stage;
    }
  | { readonly outcome: "conflict"; readonly places: readonly Place[] }
  | { readonly outcome: "ambiguous"; readonly candidates: readonly string[] }
  | { readonly outcome: "unknown_postal_code" }
  | { readonly outcome: "not_covered" };

/** The result of `checkTown`. */
export type TownAnswer = {
  /** The country whose list was used: `LI` for its postal codes, even if sent with `CH`. */
  readonly country: string;
  /** The postal code without blanks and country prefix. */
  readonly postal_code: string;
} & Outcome;
