// The npm package erp-wasm, which is built and not part of the sources.

import { find } from "./dom.js";
import { words } from "./language.js";

/** Loads a part of the package. If that fails it shows at `place` the text of this name, and returns
 * nothing. */
export async function load(part, place, name = "not_built") {
  try {
    const module = await part();
    await module.init();
    return module;
  } catch (error) {
    console.warn(error);
    const notice = find(place);
    if (notice !== null) {
      notice.dataset.word = name;
      notice.textContent = words()[name];
      notice.hidden = false;
    }
    return undefined;
  }
}
