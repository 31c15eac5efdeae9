// Pictures of articles. They need the token, so the page fetches them; a few at a time, those in sight first.

const AT_ONCE = 4;

export class Pictures {
  #session;
  #known = new Map();
  #waiting = [];
  #running = 0;
  #seen = new IntersectionObserver((entries) => this.#look(entries), { rootMargin: "200px" });

  constructor(session) {
    this.#session = session;
  }

  /** Shows the picture of an article in the hidden `img` of a tile, at once or when the tile becomes visible. */
  show(article, tile) {
    tile.dataset.article = article;
    if (this.#known.has(article)) this.#place(tile);
    else this.#seen.observe(tile);
  }

  /** Forgets all pictures. */
  end() {
    this.#seen.disconnect();
    this.#waiting = [];
    for (const address of this.#known.values()) if (address) URL.revokeObjectURL(address);
    this.#known.clear();
  }

  #look(entries) {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      this.#seen.unobserve(target);
      this.#waiting.push(target);
    }
    this.#next();
  }

  #next() {
    while (this.#running < AT_ONCE && this.#waiting.length > 0) {
      this.#running += 1;
      this.#load(this.#waiting.shift()).finally(() => {
        this.#running -= 1;
        this.#next();
      });
    }
  }

  async #load(tile) {
    const { article } = tile.dataset;
    if (!tile.isConnected) return;
    if (!this.#known.has(article)) {
      const blob = await this.#read(article).catch(() => undefined);
      this.#known.set(article, blob && URL.createObjectURL(blob));
    }
    this.#place(tile);
  }

  #place(tile) {
    const address = this.#known.get(tile.dataset.article);
    if (address === undefined) return;
    const image = tile.querySelector("img");
    image.src = address;
    image.hidden = false;
  }

  /** The first picture of an article, or the first that is sharp at every size; or nothing. */
  async #read(article) {
    const { client } = this.#session;
    const media = await client.listMedia(article);
    const shown = media.find((one) => one.AMDBildFormat === "svg") ?? media.find((one) => one.AMDBildFormat);
    return shown && client.readMedia(shown.IDKey, "Bild");
  }
}
