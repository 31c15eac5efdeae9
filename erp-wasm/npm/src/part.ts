// A build of the module that knows addresses and towns.

import { bytes, text, type Json, type Source } from "./border.js";
import { ErpError, type Problem } from "./error.js";
import { Module, type Glue } from "./module.js";
import type { TownAnswer, TownQuestion } from "./towns.js";
import type { AddressBody } from "./wire.js";

/** The language of the messages of problems. */
export interface Speaking {
  /** A tag like `de-CH`, of German, French or Italian; otherwise they are in English. */
  readonly language?: string;
}

/** How bodies are read. */
export interface Reading extends Speaking {
  /** Also report members that are in no table of the interface. */
  readonly strict?: boolean;
}

interface AddressGlue extends Glue {
  validateAddress(address: string, strict: boolean, language: string): string;
  Towns: new () => Towns;
}

interface Towns {
  add(file: Uint8Array): string;
  check(address: string, language: string): string;
  free(): void;
}

/** The arguments of the module for `how`. */
export const reading = (how: Reading = {}): [boolean, string] => [how.strict ?? false, how.language ?? ""];

export class Part<G extends AddressGlue> extends Module<G> {
  readonly #towns: URL;
  #known: Towns | undefined;

  constructor(glue: G, module: URL, towns: URL) {
    super(glue, module);
    this.#towns = towns;
  }

  async loadTowns(source?: Source): Promise<number> {
    const [file] = await Promise.all([bytes(source ?? this.#towns), this.init()]);
    return this.ask((glue) => {
      this.#known ??= new glue.Towns();
      return this.#known.add(file);
    });
  }

  validateAddress(address: Json<AddressBody>, how?: Reading): Problem[] {
    return this.ask((glue) => glue.validateAddress(text(address), ...reading(how)));
  }

  checkTown(address: Json<TownQuestion>, how?: Speaking): TownAnswer {
    return this.ask(() => {
      if (this.#known === undefined) throw new ErpError("not_ready", "`loadTowns()` has not finished");
      return this.#known.check(text(address), how?.language ?? "");
    });
  }
}
