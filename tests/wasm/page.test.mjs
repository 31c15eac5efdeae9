// The demo page in Chromium: the address form, under the strict policy.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { browser, watchedPage } from "./chromium.mjs";
import { dist, root } from "./paths.mjs";
import { serve } from "./serve.mjs";

let server, chromium, page, wrong;

before(async () => {
  server = await serve({ "/erp-wasm/": dist, "/": new URL("examples/shop/", root) });
  chromium = await browser();
  ({ page, wrong } = await watchedPage(chromium.context));
  await page.goto(server.base);
  await page.waitForSelector("form[data-ready]");
  await page.getByLabel("English").check();
});

after(async () => {
  await chromium?.close();
  server?.close();
});

test("a town is corrected with the keyboard alone", async () => {
  await page.getByLabel("Postal code").fill("2502");
  await page.getByLabel("Town").fill("Biel");
  await page.getByRole("button", { name: "Use Biel/Bienne" }).focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.getByLabel("Town").inputValue(), "Biel/Bienne");
  assert.equal(await page.getByRole("button").count(), 0);
});

test("problems stand at their fields, in both languages", async () => {
  await page.getByLabel("Company").fill("x".repeat(37));
  const field = page.getByLabel("Company");
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  assert.equal(await page.textContent("#AdrFirma-problem"), "At most 36 characters.");
  await page.getByLabel("Deutsch").check();
  assert.equal(await page.textContent("#AdrFirma-problem"), "Höchstens 36 Zeichen.");
  assert.equal(await page.getAttribute("html", "lang"), "de");
});

test("a whole address is fine", async () => {
  await page.getByLabel("Firma").fill("Muster AG");
  await page.getByLabel("Strasse").fill("Weg 1");
  assert.equal(await page.textContent("#state"), "Diese Adresse ist in Ordnung.");
});

test("a phone shows it without scrolling sideways", async () => {
  await page.setViewportSize({ width: 360, height: 700 });
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/address-phone.png` });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `${wide}`);
});

test("nothing comes from elsewhere, nothing was refused and nothing failed", () => {
  assert.deepEqual(wrong, []);
});
