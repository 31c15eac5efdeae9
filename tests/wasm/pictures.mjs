// Renews the pictures of the README: `node tests/wasm/pictures.mjs [shop] [console] [check]`, without a word all three.

import { mkdirSync, writeFileSync } from "node:fs";

import { root } from "./paths.mjs";
import { opened } from "./screens.mjs";

const SIZE = { width: 1200, height: 750 };
const folder = new URL("pictures/", root);

const screens = {
  async shop({ page, server }) {
    await page.goto(server.base);
    await page.waitForSelector("#login[data-ready]");
    await page.getByLabel("Password").fill(server.password("customers"));
    await page.getByLabel("Customer number").fill("10018");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.waitForSelector(".group-tiles img");
    await page.waitForSelector("#live:not(:has([aria-busy]))", { state: "attached" });
  },
  async console({ page, server }) {
    await enter(page, server);
    await show(page, "orders");
  },
  async check({ page, server }) {
    await enter(page, server);
    await show(page, "invoices");
    await page.getByRole("button", { name: "A broken XML" }).click();
    await page.getByText("the invoice is not valid").waitFor();
  },
};

async function enter(page, server) {
  await page.goto(`${server.base}/console`);
  await page.getByLabel("User").fill("admin");
  await page.getByLabel("Password").fill(server.password("admin"));
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.waitForSelector(".screen[data-ready]:not([data-ready=login])");
}

async function show(page, screen) {
  await page.evaluate((screen) => (location.hash = screen), screen);
  await page.waitForSelector(`.screen[data-ready="${screen}"]`);
}

mkdirSync(folder, { recursive: true });
const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(screens);
for (const name of names) {
  const { page, server, chromium, wrong, close } = await opened({ built: false, orders: 40, locale: "en" });
  try {
    await page.setViewportSize(SIZE);
    await screens[name]({ page, server });
    await page.waitForLoadState("networkidle");
    await page.evaluate(() => (scrollTo({ top: 0, behavior: "instant" }), document.activeElement?.blur()));
    const devtools = await chromium.context.newCDPSession(page);
    const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 70 });
    const picture = Buffer.from(data, "base64");
    if (wrong.length > 0 || picture.length > 60_000) throw new Error(`${name}: ${picture.length} bytes, ${wrong}`);
    writeFileSync(new URL(`${name}.webp`, folder), picture);
    console.log(`${name}.webp: ${picture.length} bytes`);
  } finally {
    await close();
  }
}
