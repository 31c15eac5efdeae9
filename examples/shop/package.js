// The npm package erp-wasm, which is built and not part of the sources.

import { find } from "./dom.js";
import { words } from "./language.js";

/** Loads a part of the package, or says at `place` how it is built and answers nothing. */
export async function load(part, place) {
  try {
    const module = await part();
    await module.init();
    return module;
  } catch (error) {
    console.warn(error);
    const notice = find(place);
    notice.textContent = words().not_built;
    notice.hidden = false;
    return undefined;
  }
}
