// Reports of the check as files, in Chromium: the golden ones of native code.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { after, before, test } from "node:test";

import { browser, watchedPage } from "./chromium.mjs";
import { root } from "./paths.mjs";
import { accessible, DESK, shot } from "./screens.mjs";

const reports = new URL("tests/golden/reports/", root);
const names = readdirSync(reports);
let chromium, page, wrong;
const asked = [];

before(async () => {
  mkdirSync(new URL("test-output/", root), { recursive: true });
  chromium = await browser();
  ({ page, wrong } = await watchedPage(chromium.context));
  page.on("request", (request) => asked.push(request.url()));
});

after(() => chromium?.close());

test("every report is accessible and fits, in light and dark, and loads nothing", async () => {
  assert.ok(names.includes("broken-sums.xml.html") && names.includes("index.html"));
  for (const name of names) {
    const address = new URL(name, reports).href;
    asked.length = 0;
    await page.goto(address);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await accessible(page, `${name}, ${colorScheme}`);
    }
    for (const size of [{ width: 360, height: 740 }, DESK]) await shot(page, `report-${name}`, size);
    assert.deepEqual(asked, [address]);
  }
  assert.deepEqual(wrong, []);
});

test("links go from a value to its finding, and from there to its place", async () => {
  await page.goto(new URL("broken-sums.xml.html", reports).href);
  await page.locator("dd", { hasText: "155.00" }).getByRole("link", { name: "BR-CO-10" }).click();
  const target = () => page.locator(":target").innerText();
  assert.match(await target(), /BR-CO-10 BT-106, BT-131\s+Sum of invoice line net amounts/);
  await page.getByRole("link", { name: "Totals" }).click();
  assert.match(await target(), /^Totals \(EUR\) 3 findings\s+Lines\s+155\.00 BR-CO-10/);
});

test("printed it is dark on light", async () => {
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const colour = await page.evaluate(() => getComputedStyle(document.querySelector(".report")).color);
  assert.equal(colour, "rgb(20, 33, 43)");
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
});
