// A place where files are dropped or chosen.

import { element } from "./dom.js";
import { words } from "./language.js";

/** `onFile` gets the file; `accept` limits what the browser's file window offers. */
export function dropPlace(text, accept, onFile) {
  const chosen = element("input", { type: "file", accept, className: "unseen", id: "files" });
  const place = element(
    "div",
    { className: "drop" },
    element("p", {}, element("strong", { textContent: text })),
    element("label", { className: "button main", htmlFor: "files", textContent: words().choose }),
    chosen,
  );
  const take = ([file]) => file && onFile(file);
  chosen.addEventListener("change", () => {
    take(chosen.files);
    // The same file can be chosen again.
    chosen.value = "";
  });
  place.addEventListener("dragover", (event) => {
    event.preventDefault();
    place.classList.add("over");
  });
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    place.classList.remove("over");
    take(event.dataTransfer.files);
  });
  return place;
}
