// The basket of a customer. It is kept in this browser until it is ordered.

import { newKey } from "./client/client.js";
import { key, offers, position } from "./packs.js";

/** Number of articles whose prices are read again when a stored basket is loaded. */
const REFRESHED = 50;

export class Basket {
  #lines = new Map();
  #place;
  #changed;
  /** A name for the order, so that it is placed once however often it is sent. */
  orderKey = newKey();

  /** `changed` is called after every change. */
  constructor(number, changed) {
    this.#place = `erp-basket-${number}`;
    this.#changed = changed;
    this.#read();
  }

  #read() {
    this.#lines.clear();
    try {
      const { lines = [], orderKey } = JSON.parse(localStorage.getItem(this.#place) ?? "{}");
      for (const { article, unit, count } of lines) this.#put(article, unit, count);
      this.orderKey = orderKey ?? this.orderKey;
    } catch (error) {
      console.warn(error);
    }
  }

  /** Applies a change of another tab; `place` is the changed item, undefined for all. */
  follow(place) {
    if (place !== null && place !== this.#place) return;
    this.#read();
    this.#changed();
  }

  get size() {
    return this.#lines.size;
  }

  get lines() {
    return [...this.#lines.values()];
  }

  get positions() {
    return this.lines.map(({ offer, count }) => position(offer, count));
  }

  get articles() {
    return [...new Set(this.lines.map(({ offer }) => offer.article))];
  }

  add(offer, count) {
    const there = this.#lines.get(key(offer))?.count ?? 0;
    this.set(offer, there + count);
  }

  set(offer, count) {
    this.#lines.set(key(offer), { offer, count });
    this.#change();
  }

  remove(offer) {
    this.#lines.delete(key(offer));
    this.#change();
  }

  clear() {
    this.#lines.clear();
    this.#change();
  }

  /** Reads the articles of a kept basket again: prices may have changed since. */
  async refresh(client, debinr) {
    for (const { ArtNr } of this.articles.slice(0, REFRESHED)) {
      const article = await client.readArticle(ArtNr, { debinr }).catch(() => undefined);
      if (article === undefined) continue;
      for (const { offer, count } of this.lines.filter(({ offer }) => offer.article.ArtNr === ArtNr)) {
        this.#put(article, offer.unit, count);
      }
      this.#changed();
    }
  }

  #put(article, unit, count) {
    const offer = offers(article).find((one) => one.unit === unit);
    if (offer !== undefined) this.#lines.set(key(offer), { offer, count });
  }

  #change() {
    this.orderKey = newKey();
    const lines = this.lines.map(({ offer: { article, unit }, count }) => ({ article, unit, count }));
    try {
      localStorage.setItem(this.#place, JSON.stringify({ lines, orderKey: this.orderKey }));
    } catch (error) {
      console.warn(error);
    }
    this.#changed();
  }
}
