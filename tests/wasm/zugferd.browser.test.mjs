// Invoices in headless Chromium: the same bytes and reports as from native code, memory, time.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { browser, watchedPage } from "./chromium.mjs";
import { dist, invoiceFolders, nativeInvoices } from "./paths.mjs";
import { serve } from "./serve.mjs";
import { ratios } from "./zugferd.mjs";

let server, chromium, page, wrong;

before(async () => {
  server = await serve({
    "/erp-wasm/": dist,
    ...Object.fromEntries(Object.entries(invoiceFolders).map(([name, folder]) => [`/${name}/`, folder])),
    "/tests/": new URL("./", import.meta.url),
    "/site/": new URL("site/", import.meta.url),
  });
  chromium = await browser();
  ({ page, wrong } = await watchedPage(chromium.context));
  await page.goto(`${server.base}/site/zugferd.html`);
  await page.waitForFunction(() => window.zugferd !== undefined);
});

after(async () => {
  await chromium?.close();
  server?.close();
});

test("every file becomes what native code makes of it", async (context) => {
  const manifest = nativeInvoices();
  assert.ok(manifest.cases.length > 300);
  const told = await page.evaluate((manifest) => window.zugferd.compared(manifest), manifest);
  for (const line of ratios(told.times)) context.diagnostic(line);
  assert.deepEqual(told.different, []);
});

test("every invoice has the report of native code", async (context) => {
  const manifest = nativeInvoices({ check: true });
  assert.ok(manifest.cases.length > 100);
  const { different, times } = await page.evaluate((manifest) => window.zugferd.checked(manifest), manifest);
  for (const line of ratios(times)) context.diagnostic(line);
  assert.deepEqual(different, []);
});

test("a page checks a text, bytes and a PDF", async () => {
  const verdicts = await page.evaluate(() => window.zugferd.verdicts());
  assert.deepEqual(verdicts, [[true, null], [true, null], [false, "factur-x.xml"]]);
});

test("a worker combines and hands the bytes over", async () => {
  const [outcome, bytes] = await page.evaluate(() => window.zugferd.inWorker());
  assert.equal(outcome, "kept");
  assert.ok(bytes > 2_000);
});

test("memory is given back", async () => {
  assert.equal(await page.evaluate(() => window.zugferd.growth()), 0);
});

test("nothing was refused and nothing failed", () => assert.deepEqual(wrong, []));
