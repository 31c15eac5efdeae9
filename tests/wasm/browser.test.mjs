// The package in headless Chromium: in a page, in a worker, under a strict policy.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { expected, ofAddresses } from "./cases.mjs";
import { browser, watchedPage } from "./chromium.mjs";
import { cases, dist, golden, goldenAnswers, read } from "./paths.mjs";
import { serve } from "./serve.mjs";

let server, chromium, page, wrong;

before(async () => {
  server = await serve({
    "/erp-wasm/": dist,
    "/golden/": golden,
    "/tests/": new URL("./", import.meta.url),
    "/site/": new URL("site/", import.meta.url),
  });
  chromium = await browser();
  ({ page, wrong } = await watchedPage(chromium.context));
  await page.goto(`${server.base}/site/`);
  await page.waitForFunction(() => window.growth !== undefined);
});

after(async () => {
  await chromium?.close();
  server?.close();
});

test("a page answers all cases with the golden bytes", async () => {
  assert.equal(await page.evaluate(() => window.inPage()), goldenAnswers());
});

test("so does a worker", async () => {
  assert.equal(await page.evaluate(() => window.inWorker()), goldenAnswers());
});

test("the small build answers those of addresses", async () => {
  const own = ofAddresses(cases());
  assert.equal(await page.evaluate(() => window.ofSmallBuild()), expected(goldenAnswers(), own));
});

test("the functions answer values and throw errors", async () => {
  const { names, version, towns, refused } = await page.evaluate(() => window.functions());
  assert.ok(names > 4000);
  assert.equal(version, JSON.parse(read("package.json")).version);
  assert.deepEqual(towns, ["Biel/Bienne", "Biel/Bienne"]);
  assert.deepEqual(refused, [true, "invalid", "unknown_article"]);
});

test("memory is given back", async () => {
  assert.equal(await page.evaluate(() => window.growth()), 0);
});

test("nothing was refused and nothing failed", () => assert.deepEqual(wrong, []));
