// Renews the pictures of the README and, in German, those of the handbook: `node tests/wasm/pictures.mjs [shop] [console] [check]
// [handbuch-auftrag] [handbuch-artikel] [handbuch-einlesen]`, without a word all of them.

import { mkdirSync, writeFileSync } from "node:fs";

import words from "../../erp-server/console/words.json" with { type: "json" };
import { root } from "./paths.mjs";
import { opened } from "./screens.mjs";

const [en, de] = [0, 1].map((at) => Object.fromEntries(Object.entries(words).map(([key, said]) => [key, said[at]])));

const SIZE = { width: 1200, height: 750 };
const HANDBOOK_SIZE = { width: 1280, height: 800 };
const PRICES = `PreisListe;ArtNr;WaehrAbk;AbAnzahl;BisAnzahl;PreisList;Preisart
STANDARD;AB-4005;CHF;1;9;9.90;N
STANDARD;AB-4005;CHF;10;;8.50;N
STANDARD;AB-4005;EUR;1;9;10.18;N
`;
const folders = { true: new URL("erp-server/docs/pictures/", root), false: new URL("pictures/", root) };

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
    await enter(page, server, en);
    await show(page, "orders");
  },
  async check({ page, server }) {
    await enter(page, server, en);
    await show(page, "invoices");
    await page.getByRole("button", { name: "A broken XML" }).click();
    await page.getByText("the invoice is not valid").waitFor();
  },
};

/** Pictures of the handbook. One that returns a part of the page shows it in the middle, the others the top of the page. */
const handbook = {
  async "handbuch-auftrag"({ page, server }) {
    await enter(page, server, de);
    await show(page, "orders");
    // The newest one: it is new, with several positions and a comment.
    await page.locator("tbody a").first().click();
    await page.getByRole("button", { name: de.make_invoice, exact: true }).waitFor();
  },
  async "handbuch-artikel"({ page, server }) {
    await enter(page, server, de);
    await show(page, "articles/AB-4005/edit");
    await page.getByRole("tab", { name: de.tab_prices }).click();
  },
  async "handbuch-einlesen"({ page, server }) {
    await enter(page, server, de);
    await show(page, "import");
    await page.getByLabel(de.choose).setInputFiles({ name: "preis.csv", mimeType: "text/csv", buffer: Buffer.from(PRICES) });
    await page.getByRole("button", { name: de.do_import, exact: true }).waitFor();
  },
};

async function enter(page, server, say) {
  await page.goto(`${server.base}/console`);
  await page.getByLabel(say.user).fill("admin");
  await page.getByLabel(say.password).fill(server.password("admin"));
  await page.getByRole("button", { name: say.login, exact: true }).click();
  await page.waitForSelector(".screen[data-ready]:not([data-ready=login])");
}

async function show(page, screen) {
  await page.evaluate((screen) => (location.hash = screen), screen);
  await page.waitForSelector(`.screen[data-ready="${screen.split("/")[0]}"]`);
}

for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys({ ...screens, ...handbook });
for (const name of names) {
  const [draw, size, locale] = name in handbook ? [handbook[name], HANDBOOK_SIZE, "de-CH"] : [screens[name], SIZE, "en"];
  const { page, server, chromium, wrong, close } = await opened({ built: false, orders: 40, locale });
  try {
    await page.setViewportSize(size);
    const part = await draw({ page, server });
    await page.waitForLoadState("networkidle");
    await page.evaluate(() => (scrollTo({ top: 0, behavior: "instant" }), document.activeElement?.blur()));
    await part?.evaluate((shown) => shown.scrollIntoView({ block: "center", behavior: "instant" }));
    const devtools = await chromium.context.newCDPSession(page);
    const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 70 });
    const picture = Buffer.from(data, "base64");
    if (wrong.length > 0 || picture.length > 60_000) throw new Error(`${name}: ${picture.length} bytes, ${wrong}`);
    writeFileSync(new URL(`${name}.webp`, folders[name in handbook]), picture);
    console.log(`${name}.webp: ${picture.length} bytes`);
  } finally {
    await close();
  }
}
