// The npm package erp-wasm, which is built and not part of the sources.

import { find } from "./dom.js";
import { words } from "./language.js";

/** Loads a part of the package. If that fails it says so at `place`, if any, and returns nothing. */
export async function load(part, place) {
  try {
    const module = await part();
    await module.init();
    return module;
  } catch (error) {
    console.warn(error);
    const notice = place && find(place);
    if (notice) {
      notice.dataset.word = "not_built";
      notice.textContent = words().not_built;
      notice.hidden = false;
    }
    return undefined;
  }
}
