// The documents as a site, which docs/build has made below the target folder, in Chromium.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";

import { watchedPage, browser } from "./chromium.mjs";
import { read, root, target } from "./paths.mjs";
import { accessible, DESK, PHONE, shot } from "./screens.mjs";
import { serve } from "./serve.mjs";

const site = new URL("site/", target);
const pages = [...read("docs/SUMMARY.md", root).matchAll(/\]\((.*)\.md\)/g)].map(([, path]) => `${path}.html`);
let server, chromium, page, wrong;

before(async () => {
  // The scripts of mdBook are in its pages.
  server = await serve({ "/": site }, "default-src 'self' 'unsafe-inline'; img-src 'self' data:");
  chromium = await browser();
  ({ page, wrong } = await watchedPage(chromium.context));
});

after(async () => {
  await chromium?.close();
  server?.close();
});

test("axe finds nothing on any page, light on a desk and dark on a phone", async () => {
  for (const [colorScheme, size] of [["light", DESK], ["dark", PHONE]]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    for (const path of pages) {
      await page.goto(`${server.base}/${path}`);
      await page.locator("main h1").first().waitFor();
      await accessible(page, `${path}, ${colorScheme}`);
    }
    await page.goto(`${server.base}/erp-server/docs/operations.html`);
    await shot(page, `site-${colorScheme}`, size, { fullPage: false });
  }
});

test("every link between the pages leads somewhere", async () => {
  const dead = [];
  const ids = new Map();
  const idsOf = async (url) => {
    if (!ids.has(url)) ids.set(url, (await page.goto(url), await page.locator("[id]").evaluateAll((all) => all.map(({ id }) => id))));
    return ids.get(url);
  };
  for (const path of pages) {
    await page.goto(`${server.base}/${path}`);
    const links = await page.locator("main a[href]").evaluateAll((all) => all.map(({ href }) => href));
    for (const link of new Set(links)) {
      const { origin, pathname, hash } = new URL(link);
      if (origin !== server.base) continue;
      if (!existsSync(new URL(`.${pathname}`, site))) dead.push(`${path}: ${pathname}`);
      else if (hash && !(await idsOf(`${origin}${pathname}`)).includes(decodeURIComponent(hash.slice(1)))) dead.push(`${path}: ${pathname}${hash}`);
    }
  }
  assert.deepEqual(dead, []);
});

test("the menu of a phone is opened with the keyboard", async () => {
  await page.setViewportSize(PHONE);
  await page.goto(`${server.base}/${pages[0]}`);
  const menu = page.getByRole("button", { name: "Toggle Table of Contents" });
  await menu.focus();
  for (const expanded of ["true", "false"]) {
    await page.keyboard.press("Enter");
    assert.equal(await menu.getAttribute("aria-expanded"), expanded);
  }
});

test("nothing was refused and nothing failed", () => {
  assert.deepEqual(wrong, []);
});
