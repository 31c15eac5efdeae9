// One build of the module with what every build can do: start, version, addresses, towns.

import { ask, bytes, load, text, type Json, type Source } from "./border.js";
import { ErpError, type Problem } from "./error.js";
import type { TownAnswer, TownQuestion } from "./towns.js";
import type { AddressBody } from "./wire.js";

/** How bodies are read. */
export interface Reading {
  /** Also tell members that no table of the interface lists. */
  readonly strict?: boolean;
}

/** What wasm-bindgen makes of every build. */
export interface Glue {
  default(input: { module_or_path: Response | BufferSource | WebAssembly.Module }): Promise<unknown>;
  version(): string;
  validateAddress(address: string, strict: boolean): string;
  Towns: new () => Towns;
}

interface Towns {
  add(file: Uint8Array): string;
  check(address: string): string;
  free(): void;
}

export class Part<G extends Glue> {
  readonly #glue: G;
  readonly #module: URL;
  readonly #towns: URL;
  #started: Promise<void> | undefined;
  #ready = false;
  #known: Towns | undefined;

  constructor(glue: G, module: URL, towns: URL) {
    this.#glue = glue;
    this.#module = module;
    this.#towns = towns;
  }

  init(source?: Source | WebAssembly.Module): Promise<void> {
    this.#started ??= this.#start(source ?? this.#module).catch((error: unknown) => {
      this.#started = undefined;
      throw error;
    });
    return this.#started;
  }

  async #start(source: Source | WebAssembly.Module): Promise<void> {
    const module = source instanceof WebAssembly.Module ? source : await load(source);
    try {
      await this.#glue.default({ module_or_path: module });
    } catch (cause) {
      throw new ErpError("load", "the module could not be started", [], { cause });
    }
    this.#ready = true;
  }

  async loadTowns(source?: Source): Promise<number> {
    const [file] = await Promise.all([bytes(source ?? this.#towns), this.init()]);
    return this.ask((glue) => {
      this.#known ??= new glue.Towns();
      return this.#known.add(file);
    });
  }

  version(): string {
    return this.#running().version();
  }

  validateAddress(address: Json<AddressBody>, how?: Reading): Problem[] {
    return this.ask((glue) => glue.validateAddress(text(address), how?.strict ?? false));
  }

  checkTown(address: Json<TownQuestion>): TownAnswer {
    const towns = this.#known;
    if (towns === undefined) {
      throw new ErpError("not_ready", "`loadTowns()` has not finished");
    }
    return this.ask(() => towns.check(text(address)));
  }

  ask<T>(call: (glue: G) => string): T {
    const glue = this.#running();
    return ask(() => call(glue));
  }

  #running(): G {
    if (!this.#ready) throw new ErpError("not_ready", "`init()` has not finished");
    return this.#glue;
  }
}
