// One build of the module: start and version.

import { ask, load, type Source } from "./border.js";
import { ErpError } from "./error.js";

/** The functions that wasm-bindgen generates for every build. */
export interface Glue {
  default(input: { module_or_path: Response | BufferSource | WebAssembly.Module }): Promise<unknown>;
  version(): string;
}

export class Module<G extends Glue> {
  readonly #glue: G;
  readonly #module: URL;
  #started: Promise<void> | undefined;
  #ready = false;

  constructor(glue: G, module: URL) {
    this.#glue = glue;
    this.#module = module;
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
      throw new ErpError("load", "the module could not be started", {}, { cause });
    }
    this.#ready = true;
  }

  version(): string {
    return this.running().version();
  }

  ask<T>(call: (glue: G) => string): T {
    const glue = this.running();
    return ask(() => call(glue));
  }

  protected running(): G {
    if (!this.#ready) throw new ErpError("not_ready", "`init()` has not finished");
    return this.#glue;
  }
}
