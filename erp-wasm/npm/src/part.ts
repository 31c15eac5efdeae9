// A build of the module that knows addresses and towns.

import { bytes, text, type Json, type Source } from "./border.js";
import { ErpError, type Problem } from "./error.js";
import { Module, type Glue } from "./module.js";
import type { TownAnswer, TownQuestion } from "./towns.js";
import type { AddressBody } from "./wire.js";

/** How bodies are read. */
export interface Reading {
  /** Also report members that are in no table of the interface. */
  readonly strict?: boolean;
}

interface AddressGlue extends Glue {
  validateAddress(address: string, strict: boolean): string;
  Towns: new () => Towns;
}

interface Towns {
  add(file: Uint8Array): string;
  check(address: string): string;
  free(): void;
}

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
    return this.ask((glue) => glue.validateAddress(text(address), how?.strict ?? false));
  }

  checkTown(address: Json<TownQuestion>): TownAnswer {
    return this.ask(() => {
      if (this.#known === undefined) throw new ErpError("not_ready", "`loadTowns()` has not finished");
      return this.#known.check(text(address));
    });
  }
}
