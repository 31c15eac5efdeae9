// Small pictures of articles in a list. They need the token, so the page fetches them: those in sight, one after the other, so that
// they leave the requests that a user may send in a minute to the rest of the page.

import { path } from "./api.js";
import { element } from "./dom.js";

/** The file of a media record. */
export const fileOf = async (api, { IDKey }, signal) => (await api.send(`${path("www", "artikelmediadaten", String(IDKey))}?type=Bild`, { signal })).blob();

async function picture(api, article, signal) {
  const shown = (await api.get(path("www", "artikelmedia", article), signal)).find(({ AMDBildFormat }) => AMDBildFormat);
  if (shown === undefined) return [];
  const src = URL.createObjectURL(await fileOf(api, shown, signal));
  return [element("img", { src, alt: "", onload: () => URL.revokeObjectURL(src) })];
}

/** What makes the place of the picture of an article, for as long as the screen is shown. */
export function pictures(api, signal) {
  let last = Promise.resolve();
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      // A row that is gone meanwhile needs none any more.
      last = last.then(async () => target.isConnected && target.replaceChildren(...(await picture(api, target.dataset.article, signal)))).catch(() => undefined);
    }
  });
  signal.addEventListener("abort", () => seen.disconnect());
  return (article) => {
    const place = element("span", { className: "thumbnail", "data-article": article });
    seen.observe(place);
    return place;
  };
}
