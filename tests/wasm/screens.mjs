// Shared parts of the tests of pages: the demo server, Chromium, checks of a screen.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { browser, watchedPage } from "./chromium.mjs";
import { demo } from "./demo.mjs";
import { root } from "./paths.mjs";

export const DESK = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };

const axe = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const shots = new URL("test-output/", root);

/** A demo server and a page in Chromium. `built`, `files` and `orders` are those of `demo`, the rest are settings of the browser. */
export async function opened({ built, files, orders, ...context } = {}) {
  mkdirSync(shots, { recursive: true });
  const server = await demo({ built, files, orders });
  try {
    const chromium = await browser(context);
    const { page, wrong } = await watchedPage(chromium.context);
    await page.setViewportSize(DESK);
    const close = () => Promise.all([chromium.close(), server.close()]);
    return { server, chromium, page, wrong, close };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Takes a picture of the page at a size, and checks that it fits. */
export async function shot(page, name, size, { fullPage = true } = {}) {
  await page.setViewportSize(size);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= size.width, `${name}: ${wide} wide at ${size.width}`);
  await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
  await page.screenshot({ path: fileURLToPath(new URL(`${name}-${size.width}.png`, shots)), fullPage });
}

/** Checks that axe-core finds no problem on the page, or in the part of a selector; `rules` are additional ones. */
export async function accessible(page, name, part = "html", rules = []) {
  await page.evaluate(axe);
  const on = Object.fromEntries(rules.map((rule) => [rule, { enabled: true }]));
  const { violations, passes } = await page.evaluate(([part, rules]) => axe.run(part, { rules }), [part, on]);
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`);
  assert.deepEqual(found, [], name);
  assert.ok(passes.length > 10);
}
