// The shop page of the demo server, in Chromium, with the server's content security policy.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { browser, watchedPage } from "./chromium.mjs";
import { drawn, PICTURES } from "../../erp-server/demo/draw.mjs";
import { Client } from "../../erp-wasm/dist/client.js";
import { ORDER_BUTTON } from "../../examples/shop/company.js";
import { TOOL_WORDS } from "../../examples/shop/tool-words.js";
import { WORDS } from "../../examples/shop/words.js";
import { testClient } from "./client.mjs";
import { demo, PATIENCE } from "./demo.mjs";
import { checkFixtures, root } from "./paths.mjs";
import * as screens from "./screens.mjs";
import { DESK, opened, PHONE } from "./screens.mjs";

const fixture = (name) => fileURLToPath(new URL(`tests/fixtures/zugferd/${name}`, root));
let server, chromium, page, wrong, close;

before(async () => {
  ({ server, chromium, page, wrong, close } = await opened());
});

after(() => close?.());

/** Takes pictures of the page in phone and desktop size, and checks that it fits. */
async function shot(name) {
  for (const size of [{ width: 360, height: 740 }, PHONE, DESK]) await screens.shot(page, `page-${name}`, size);
}

/** Checks that axe-core finds no problem in English with the light scheme and in German with the dark one. */
async function accessible(name) {
  for (const [language, colorScheme] of [["English", "light"], ["Deutsch", "dark"]]) {
    await page.getByLabel(language).check();
    await page.emulateMedia({ colorScheme });
    await page.waitForSelector("#live:not([aria-busy])", { state: "attached" });
    await screens.accessible(page, `${name} in ${language}, ${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.getByLabel("English").check();
  await page.waitForSelector("#live:not([aria-busy])", { state: "attached" });
}

const text = (selector) => page.locator(selector).innerText();

async function logIn(target = page, number = "10001", at = server) {
  await target.waitForSelector("#login[data-ready]");
  await target.getByLabel("Password").fill(at.password("customers"));
  await target.getByLabel("Customer number").fill(number);
  await target.getByRole("button", { name: "Log in" }).click();
  await target.waitForSelector(".hero");
}

/** Follows a link of the head of the page. */
const follow = (name) => page.locator("header").getByRole("link", { name, exact: typeof name === "string" }).click();

/** Opens an entry of the customer's menu. */
async function account(name, target = page) {
  await target.locator("#account summary").click();
  await target.locator("#account").getByRole(name === "Log out" ? "button" : "link", { name }).click();
}

/** Removes the error responses that Chromium reported, which may be late, from the list of errors; there must be exactly these. */
async function expectRefusals(...statuses) {
  for (const begun = Date.now(); wrong.length < statuses.length && Date.now() - begun < PATIENCE; ) await setTimeout(20);
  const refused = wrong.splice(0);
  assert.deepEqual(refused.map((line) => /status of (\d+)/.exec(line)?.[1]), statuses.map(String), `${refused}`);
}

const found = (text) => page.locator("#found").getByText(text, { exact: true }).waitFor();

async function search(words, result) {
  const asks = (response) => new URL(response.url()).searchParams.get("suche") === (words || null);
  const answered = page.waitForResponse((response) => response.url().includes("/www/artikel?") && asks(response));
  await page.getByLabel("Search articles").fill(words);
  await answered;
  await page.waitForSelector("#articles:not([aria-busy])", { state: "attached" });
  await found(result);
}

/** The modules that a page loads with these, in the order of their imports. */
function imported(paths, seen = new Set()) {
  for (const path of paths.filter((path) => !seen.has(path))) {
    seen.add(path);
    // The server writes it.
    if (path === "/shop/demo.js") continue;
    const text = readFileSync(new URL(`examples/shop${path}`, root), "utf8");
    const from = [...text.matchAll(/^(?:import|export)\b[^;]*?\bfrom "([^"]+)"/gm)];
    imported(from.map(([, name]) => new URL(name, `http://shop${path}`).pathname), seen);
  }
  return seen;
}

test("the page asks at once for all that its first views import", () => {
  const html = readFileSync(new URL("examples/shop/index.html", root), "utf8");
  const preloaded = [...html.matchAll(/<link rel="modulepreload" href="\.?([^"]+)"/g)].map(([, path]) => path);
  const needed = imported(["/main.js", "/shop.js", "/home.js"]);
  assert.deepEqual(["/main.js", ...preloaded].sort(), [...needed].sort());
});

test("the first view is light and needs no module", async () => {
  const sizes = [];
  const asked = [];
  page.on("requestfinished", (request) => {
    asked.push(new URL(request.url()).pathname);
    sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  await page.goto(server.base);
  await page.waitForSelector("#login[data-ready]");
  assert.ok(await page.getByRole("heading", { level: 1 }).isVisible());
  const bytes = (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0);
  assert.ok(bytes > 20_000 && bytes < 150_000, `${bytes} bytes: ${asked}`);
  assert.deepEqual(asked.filter((path) => path.includes(".wasm") || path.startsWith("/www")), []);
  const opens = await page.evaluate(() => window.dispatchEvent(new DragEvent("drop", { cancelable: true })));
  assert.equal(opens, false, "a file that is dropped does not open in place of the page");
  await page.getByLabel("English").check();
  await shot("login");
  await accessible("the login");
});

test("wrong credentials and customers are told", async () => {
  await page.getByLabel("Password").fill("wrong");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByText("Customer number or password is wrong.").waitFor();
  for (const [secret, number] of [["customers", "99999"], ["shop1", "10001"]]) {
    await page.getByLabel("Password").fill(server.password(secret));
    await page.getByLabel("Customer number").fill(number);
    const answered = page.waitForResponse((response) => response.url().endsWith("/shop/token"));
    await page.getByRole("button", { name: "Log in" }).click();
    await answered;
    await page.getByText("Customer number or password is wrong.").waitFor();
  }
  await expectRefusals(401, 400, 401);
  await page.route("**/shop/token", (route) => route.fulfill({ status: 404, contentType: "application/json", body: "{}" }));
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByText("This shop has no back end that logs customers in.").waitFor();
  await page.unroute("**/shop/token");
  await expectRefusals(404);
});

test("the first page shows every category with a picture, and articles to begin with", async () => {
  await logIn();
  const groups = page.locator(".group-tiles li");
  const featured = page.locator(".grid li");
  assert.deepEqual([await groups.count(), await featured.count()], [7, 4]);
  await page.setViewportSize({ width: 1280, height: 3000 });
  await page.waitForFunction(() => [...document.querySelectorAll(".tile img")].filter((one) => one.naturalWidth > 0).length === 12);
  await shot("home");
  await accessible("the first page");
  await page.emulateMedia({ colorScheme: "dark" });
  await shot("home-dark");
  await page.emulateMedia({ colorScheme: "light" });
  assert.equal(await page.locator("#who").textContent(), "Café Sonnenschein (10001)");
  await page.getByRole("link", { name: /^Food/ }).click();
  await found("1 to 12 of 14 articles");
  await page.getByRole("heading", { level: 1, name: "Food" }).waitFor();
  await page.goBack();
  await groups.first().waitFor();
});

test("where there is nothing yet is a way on", async () => {
  const none = page.locator(".nothing");
  for (const [name, told] of [["My orders", "There are no orders yet."], ["Offers", /^There are no offers yet\. The checkout/]]) {
    await account(name);
    await none.getByText(told).waitFor();
    await shot(`no-${name.split(" ").at(-1).toLowerCase()}`);
    await accessible(`no ${name}`);
    await none.getByRole("link", { name: "All articles" }).click();
    await found("1 to 12 of 71 articles");
  }
  for (const place of ["basket", "checkout"]) {
    await page.goto(`${server.base}/#${place}`);
    await none.getByText("The basket is empty.").waitFor();
  }
  await none.getByRole("link", { name: "Continue shopping" }).click();
  await search("qqqqqqq", "No article found");
  await none.getByRole("link", { name: "All articles" }).click();
  await found("1 to 12 of 71 articles");
});

test("articles are listed with pictures, by category, in an order, turned and searched on the server", async () => {
  await follow("Articles");
  await found("1 to 12 of 71 articles");
  await page.getByRole("link", { name: "Next" }).click();
  await found("13 to 24 of 71 articles");
  await page.getByRole("radio", { name: /^Food/ }).check();
  await found("1 to 12 of 14 articles");
  const rows = await page.locator("#articles .price").evaluateAll((all) => [0, 4, 8].map((at) => all.slice(at, at + 4).map((one) => one.getBoundingClientRect().top)));
  for (const tops of rows) assert.equal(new Set(tops).size, 1, `the prices of a row are at one height: ${tops}`);
  await shot("list");
  await accessible("the list");
  const sorts = () => page.getByLabel("Sort by").evaluate((list) => [list.selectedOptions[0].text, ...[...list.options].map(({ text }) => text)]);
  assert.deepEqual(await sorts(), ["Name", "Name", "Article number", "Newest first"], "nothing matches where nothing is searched");
  await page.getByLabel("Sort by").selectOption("Article number");
  await page.waitForFunction(() => document.querySelector("#articles .hint span").textContent === "LM-3001");
  await page.getByRole("radio", { name: /^All/ }).check();
  await search("kopierpapier", "1 article");
  assert.deepEqual(await sorts(), ["Article number", "Best match", "Name", "Article number", "Newest first"]);
  const image = page.locator("#articles img");
  await page.waitForFunction(() => document.querySelector("#articles img").naturalWidth > 0);
  assert.match(await image.getAttribute("src"), /^blob:/);
  await search("olivenoel nativ", "1 article");
  assert.match(await text("#articles"), /Olivenöl/);
  await search("qqqqqqq", "No article found");
  for (const other of ["Müll", "Harbour"]) await search(other, "No article found");
  await search("", "1 to 12 of 71 articles");
  await page.getByLabel("Sort by").selectOption("Name");
  await found("1 to 12 of 71 articles");
  await search("papier", "1 to 6 of 6 articles");
  assert.equal((await sorts())[0], "Best match");
  await search("", "1 to 12 of 71 articles");
});

test("a picture fills its tile, whose ground is that of the picture", async () => {
  await search("kopierpapier", "1 article");
  await page.waitForFunction(() => document.querySelector("#articles img").naturalWidth > 0);
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    const [tile, image, fit] = await page.locator("#articles .tile").evaluate((tile) => {
      const size = ({ width, height }) => [Math.round(width), Math.round(height)];
      const image = tile.querySelector("img");
      return [size(tile.getBoundingClientRect()), size(image.getBoundingClientRect()), getComputedStyle(image).objectFit];
    });
    assert.deepEqual(image, tile);
    assert.equal(fit, "cover");
  }
  await page.emulateMedia({ colorScheme: "light" });
  await search("", "1 to 12 of 71 articles");
});

test("the address keeps what is asked for, over a reload, a look at an article and a page that is no more", async () => {
  await search("papier", "1 to 6 of 6 articles");
  await page.getByLabel("Sort by").selectOption("Article number");
  await page.getByRole("radio", { name: /^Office/ }).check();
  await found("1 to 4 of 4 articles");
  const asked = { search: "papier", group: "BUERO", sort: "number" };
  const query = () => Object.fromEntries(new URLSearchParams(new URL(page.url()).hash.slice("#shop/".length)));
  assert.deepEqual(query(), asked);
  await page.reload();
  await found("1 to 4 of 4 articles");
  assert.equal(await page.getByLabel("Search articles").inputValue(), "papier");
  await page.locator("#articles h3 a").first().click();
  await page.locator(".crumbs").getByRole("link", { name: "All articles" }).click();
  await found("1 to 4 of 4 articles");
  assert.deepEqual(query(), asked);
  await page.goto(`${server.base}/#shop/page=99`);
  await found("61 to 71 of 71 articles");
  await follow("Articles");
  await found("1 to 12 of 71 articles");
});

test("articles are searched from every page", async () => {
  await follow("Muster & Söhne AG");
  await page.waitForSelector(".hero");
  await page.getByLabel("Search articles").fill("kaffeebohnen");
  await page.keyboard.press("Enter");
  await found("1 article");
  await page.getByRole("heading", { level: 1, name: "Found for “kaffeebohnen”" }).waitFor();
  await page.goBack();
  await page.waitForSelector(".hero");
  await page.goForward();
  await found("1 article");
  await search("", "1 to 12 of 71 articles");
});

test("a page is reached by its number, with few keys from the first article, and Back returns to the place", async () => {
  await page.locator("#articles h3 a").first().focus();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "1");
  await page.getByRole("link", { name: "Page 6" }).click();
  await found("61 to 71 of 71 articles");
  assert.equal(await page.evaluate(() => scrollY), 0);
  assert.equal(await page.locator("#pages [aria-current]").innerText(), "6");
  await page.getByRole("link", { name: "Previous" }).click();
  await found("49 to 60 of 71 articles");
  await page.evaluate(() => scrollTo({ top: 500, behavior: "instant" }));
  await page.locator("#articles h3 a").nth(5).click();
  await page.waitForSelector(".one-article");
  assert.equal(await page.evaluate(() => scrollY), 0);
  await page.goBack();
  await found("49 to 60 of 71 articles");
  await page.waitForFunction(() => scrollY === 500);
  await account("Check e-invoices");
  await page.waitForSelector("#drop[data-ready]");
  assert.equal(await page.evaluate(() => scrollY), 0);
  await page.goBack();
  await page.waitForFunction(() => scrollY === 500);
  await follow("Articles");
  await found("1 to 12 of 71 articles");
});

test("a quantity that cannot be ordered is told and not changed, and one above the stock too", async () => {
  await search("kafee", "1 article");
  const field = page.locator("#articles input");
  const told = page.locator("#articles .told");
  for (const wrong of ["0", "1.5", ""]) {
    await field.fill(wrong);
    await page.getByRole("button", { name: /^Add to the basket/ }).click();
    assert.equal(await told.innerText(), "Only whole numbers from 1 to 99,999.", wrong);
    assert.equal(await field.inputValue(), wrong);
  }
  assert.equal(await page.locator("#to-basket .count").isVisible(), false);
  await field.fill("99999");
  await page.keyboard.press("Enter");
  assert.match(await told.innerText(), /^Only [\d,]+ bags in stock/);
  await search("", "1 to 12 of 71 articles");
});

test("on a phone articles begin early, and the basket is in sight", async () => {
  await page.setViewportSize(PHONE);
  const { y } = await page.locator("#articles li").first().boundingBox();
  assert.ok(y < PHONE.height / 2, `${y}`);
  for (const at of [0, 1]) {
    await page.locator("#articles .buy > button").nth(at).click();
    await page.getByRole("link", { name: `Basket ${at + 1}` }).waitFor();
    await screens.accessible(page, `after article ${at}`);
  }
  await page.locator("#said").getByRole("link", { name: "Checkout" }).click();
  await page.locator("#checkout .total").waitFor();
  assert.equal(await text("#said"), "");
  await page.goBack();
  await page.locator("#articles li").first().waitFor();
  const head = await page.locator("#to-basket").boundingBox();
  assert.ok(head.y >= 0 && head.y < PHONE.height / 8, "the head stays while the list is scrolled");
  await screens.shot(page, "page-list-phone", PHONE, { fullPage: false });
  await page.setViewportSize(DESK);
  await follow(/^Basket/);
  for (const at of [1, 0]) await page.getByRole("button", { name: /^Remove/ }).nth(at).click();
  await page.getByText("The basket is empty.").waitFor();
  await follow("Articles");
});

test("every article has a picture", async () => {
  await page.setViewportSize({ width: 1280, height: 4000 });
  for (let at = 0; at < 71; at += 12) {
    await page.locator("#found").getByText(`${at + 1} to`).waitFor();
    const count = Math.min(12, 71 - at);
    await page.waitForFunction((count) => [...document.querySelectorAll("#articles img")].filter((one) => one.naturalWidth > 0).length === count, count);
    if (at < 60) await page.getByRole("link", { name: "Next" }).click();
  }
  for (const [name, picture] of Object.entries(PICTURES)) {
    assert.equal(readFileSync(new URL(`erp-server/demo/bilder/${name}.svg`, root), "utf8"), drawn(picture), name);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
});

test("a page shows an article beside its picture with tiers, texts, stock, origin and others of its category", async () => {
  await search("kafee", "1 article");
  await page.getByRole("link", { name: /^Kaffeebohnen/ }).click();
  await page.getByRole("heading", { level: 1, name: /^Kaffeebohnen/ }).waitFor();
  assert.match(await page.title(), /^Kaffeebohnen .* – Muster & Söhne AG$/);
  const shown = await text("#live");
  for (const words of ["Reiner Arabica", "Carton", "Loose", "Ethiopia", "excl. VAT", "Food"]) assert.ok(shown.includes(words), `${words} in ${shown}`);
  const [picture, title] = await Promise.all([".one-article > .tile", ".one-article h1"].map((one) => page.locator(one).boundingBox()));
  assert.ok(title.x > picture.x + picture.width && title.y < picture.y + picture.height, "the title is beside the picture");
  const client = await own();
  const article = await client.readArticle("LM-3001");
  const sum = (place) => (place.Bestand ?? []).reduce((all, { LagerBestand }) => all + LagerBestand, 0);
  const packed = article.Verpackungen.map((pack) => [{ BEUTEL: "Bag", KARTON: "Carton" }[pack.VPEinheit], sum(pack), sum(pack) * pack.Faktor]);
  const rows = await page.locator(".block table tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  const stock = (count) => (count > 0 ? `${count}` : "Being reordered");
  assert.deepEqual(rows.map((row) => [row[0], row[3]]), [["Loose", stock(sum(article))], ...packed.map(([name, count]) => [name, stock(count)])]);
  // Stock is kept in each package, so what is loose cannot be ordered.
  const whole = packed.reduce((all, [, , count]) => all + count, 0);
  assert.ok(shown.includes(`${whole} bags in stock`), shown);
  await page.getByRole("group", { name: /^Package of/ }).getByRole("radio", { name: "Carton of 6 bags" }).check();
  const tiers = article.Verpackungen[1].Preis.map(({ PreisList }) => `CHF\u00a0${PreisList.toFixed(2)}`);
  assert.deepEqual(await page.locator(".tier-table tbody tr td:nth-child(2)").allInnerTexts(), tiers.length > 1 ? tiers : []);
  assert.equal(await page.locator("#live .grid li").count(), 4);
  await page.setViewportSize(PHONE);
  for (const top of [0, 99_999]) {
    await page.evaluate((top) => scrollTo({ top, behavior: "instant" }), top);
    const { y, height } = await page.locator(".one-article .buy > button").boundingBox();
    assert.ok(y > PHONE.height / 2 && y + height <= PHONE.height, `a phone has the button in sight at ${top}: ${y}`);
  }
  await page.locator("footer a").first().evaluate((link) => {
    scrollBy({ top: link.getBoundingClientRect().bottom - innerHeight, behavior: "instant" });
    link.focus();
  });
  await page.waitForFunction(() => document.activeElement.getBoundingClientRect().bottom <= document.querySelector(".one-article .buy").getBoundingClientRect().top);
  const columns = await page.locator("#live .facts").first().evaluate((facts) => getComputedStyle(facts).gridTemplateColumns.split(" ").length);
  assert.equal(columns, 2, "facts are in columns on a phone");
  await shot("article");
  await accessible("an article");
  await page.emulateMedia({ colorScheme: "dark" });
  await shot("article-dark");
  await page.emulateMedia({ colorScheme: "light" });
  await page.goBack();
  await found("1 article");
});

test("an article without a name is shown by its number", async () => {
  const articles = /\/www\/artikel[?/]/;
  await page.route(articles, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    for (const article of [json.data].flat()) delete article.ArtBez;
    await route.fulfill({ response, json });
  });
  await page.goto(`${server.base}/#article/BU-1001`);
  await page.getByRole("heading", { level: 1, name: "BU-1001" }).waitFor();
  await page.getByRole("button", { name: "Add to the basket: BU-1001", exact: true }).waitFor();
  await page.locator("#live .grid h3", { hasText: /^BU-/ }).first().waitFor();
  await follow("Muster & Söhne AG");
  await page.locator(".hero a[aria-label]").waitFor();
  assert.equal(await page.locator(".group-tiles li").count(), 7);
  await page.unroute(articles);
  await follow("Articles");
  await found("1 to 12 of 71 articles");
});

test("packages of 0.7 become exact quantities in orders, in offers and when they are ordered again", { timeout: PATIENCE }, async () => {
  const sent = await page.evaluate(async () => {
    const [{ position }, offer, { againButton }] = await Promise.all(["packs", "offer", "reorder"].map((name) => import(`/${name}.js`)));
    const VPEinheit = "FLASCHE";
    const article = { ArtNr: "GIN-07", HatVPE: "J", Verpackungen: [{ VPEinheit, Faktor: 0.7, Preis: [{ PreisList: 9 }] }] };
    const one = { PosNr: 10, ArtNr: "GIN-07", VPEinheit, VPEAnzBest: 3, PosAnzBest: 2.1 };
    const document = { OffertNr: "1", GrundDaten: { AuftBestellTUTC: "2026-06-01T10:00:00Z" }, Positionen: [one], MWSTRekapitulation: [] };
    const sent = [position({ article, unit: VPEinheit, factor: 0.7 }, 3).Menge];
    let went;
    const shop = {
      pictures: { show: () => undefined },
      basket: { add: (_, count) => sent.push(count) },
      client: {
        readArticle: async () => article,
        readOffer: async () => ({ data: document }),
        changeOffer: async (_, { Positionen }) => sent.push(Positionen[0].Menge),
      },
      go: () => went(),
    };
    const clicked = (button) => new Promise((resolve) => ((went = resolve), button.click()));
    const { parts } = await offer.view(shop, "1");
    const within = (selector) => parts.filter(Boolean).map((part) => part.querySelector(selector)).find(Boolean);
    const field = within("input");
    field.value = 9;
    field.dispatchEvent(new Event("change", { bubbles: true }));
    await clicked(within("#change-offer"));
    for (const again of [one, { ...one, VPEinheit: undefined, VPEAnzBest: undefined }]) {
      await clicked(againButton(shop, { GrundDaten: {}, Positionen: [again] }));
    }
    return sent;
  });
  assert.deepEqual(sent, [2.1, 6.3, 3, 3]);
});

/** A client with the token of the page. */
async function own() {
  const { session } = await page.evaluate(() => JSON.parse(localStorage.getItem("erp-shop")));
  return Client.resume(server.base, session);
}

test("the basket and the checkout show the totals of the order it becomes", async () => {
  for (const [words, name, package_] of [["recyclingpapier", /Recyclingpapier/], ["kaffee", /Kaffeebohnen/], ["kopier", /Kopierpapier/, "Carton of 5 packs"]]) {
    await search(words, "1 article");
    if (package_) await page.getByLabel(/^Package of Kopierpapier/).selectOption({ label: package_ });
    await page.getByRole("button", { name }).first().click();
  }
  await search("", "1 to 12 of 71 articles");
  await follow("Basket 3");
  await page.locator("#basket").getByLabel(/^Quantity of Recyclingpapier/).fill("12");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("#basket .line-sum")?.textContent !== "" && document.querySelector("#sums .total"));
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")?.slice(0, 11)), "Quantity of");
  await page.locator("#basket").getByText("BU-1001 · carton of 5 packs").waitFor();
  await page.getByLabel("Deutsch").check();
  await page.locator("#basket").getByText("BU-1001 · Karton à 5 Pack").waitFor();
  await shot("basket");
  await accessible("the basket");
  await page.locator("#basket input").first().waitFor();
  assert.match(await text("#sums .total dd"), /^CHF\u00a0\d+\.\d\d/);
  const sums = await page.locator("#sums dd").allInnerTexts();
  const lines = await page.locator("#basket .line-sum").allInnerTexts();
  await page.getByRole("link", { name: "Checkout" }).click();
  await page.locator("#checkout .total").waitFor();
  assert.deepEqual(await page.locator("#checkout #sums dd").allInnerTexts(), sums);
  assert.deepEqual(await page.locator("#checkout .order-lines .line-sum").allInnerTexts(), lines);
  assert.equal(await page.locator("#checkout .order-lines .tile").count(), 3);
  const shown = await text("#checkout");
  for (const words of ["Filiale Winterthur", "Treuhand Beispiel AG", "Delivery", "free of charge", "Credit card", "Invoice", "10 Tage 2 % Skonto, 30 Tage netto", "Lorry"]) assert.ok(shown.includes(words), `${words} in ${shown}`);
  await page.getByRole("radio", { name: /^Invoice/ }).check();
  await page.getByLabel("Your reference").fill("Büro 4");
  const sent = page.waitForRequest((request) => request.url().endsWith("/www/auftrag") && request.method() === "POST");
  await page.getByRole("button", { name: ORDER_BUTTON.en }).click();
  const headers = await (await sent).allHeaders();
  assert.match(headers["idempotency-key"], /^[0-9a-f]{32}$/);
  const thanks = await page.getByText(/^Thank you! Your order has the number/).innerText();
  const [number] = /\d+/.exec(thanks);
  assert.deepEqual(await page.locator(".order .sums dd").allInnerTexts(), sums);
  assert.equal(await page.locator(".order tbody tr .tile").count(), 3);
  await page.setViewportSize(PHONE);
  const before = await page.locator(".order tbody tr").first().locator(".amount").evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell, "::before").content));
  assert.deepEqual(before, ["none", '"×"', "none"], "a phone repeats no heads of columns in an order");
  const tabs = page.getByRole("navigation", { name: "Pages of your account" });
  assert.equal(await tabs.locator("[aria-current]").innerText(), "My orders");
  assert.deepEqual(await tabs.getByRole("link").allInnerTexts(), ["My orders", "Offers", "Addresses"]);
  assert.deepEqual(await page.locator(".order .nr:not(th)").allInnerTexts(), ["10", "20", "30"]);
  for (const words of ["Café Sonnenschein GmbH", "Büro 4", "1 carton (5)", "10 Tage 2 % Skonto, 30 Tage netto", "Muster & Söhne AG", "VAT number CHE-"]) assert.ok((await text(".order")).includes(words), words);
  assert.match(await text(".order"), /Payment\s+Invoice/);
  await shot("order");
  await accessible("the order");
  await account("My orders");
  const card = page.locator(".documents > li", { hasText: `Order ${number}` });
  assert.match(await card.innerText(), /new[\s\S]*CHF\u00a0[\d.]+[\s\S]*Recyclingpapier/);
  assert.ok((await card.innerText()).includes(sums.at(-1)));
  await shot("orders");
  await accessible("the orders");
});

test("the totals of a customer with a tax code of its own are those of its order", async () => {
  const { tab, close } = await visitor("en-GB");
  try {
    const own = await tab("");
    await logIn(own, "10018");
    for (const article of ["LM-3001", "BU-1013"]) {
      await own.goto(`${server.base}/#article/${article}`);
      // Until it is loaded, the article before it is shown.
      const shown = own.locator(".one-article", { hasText: article });
      await shown.locator(".facts div", { hasText: "VAT rate" }).getByText("0 %", { exact: true }).waitFor();
      await shown.locator(".buy > button").click();
    }
    await own.getByRole("link", { name: "Basket 2" }).click();
    await own.getByRole("link", { name: "Checkout" }).click();
    await own.locator("#checkout .total").waitFor();
    const sums = await own.locator("#checkout #sums dd").allInnerTexts();
    await own.getByRole("button", { name: ORDER_BUTTON.en }).click();
    await own.getByText(/^Thank you! Your order has the number/).waitFor();
    assert.deepEqual(await own.locator(".order .sums dd").allInnerTexts(), sums);
  } finally {
    await close();
  }
});

test("the invoice of an order is saved as a PDF", async () => {
  const client = await own();
  const [{ AuftNr }] = (await client.pages("/www/auftrag", { limit: 1 }).next()).value.data;
  const admin = await Client.login(server.base, { user: "admin", password: server.password("admin") });
  await admin.send("POST", `/admin/auftrag/${AuftNr}/rechnung`);
  const { data: order } = await client.readOrder(AuftNr);
  const { data: invoice } = await client.readInvoice(order.GrundDaten.RechNr);
  assert.equal(invoice.RechBrutto, order.GrundDaten.AuftBrutto);
  await page.locator(".documents > li", { hasText: `Order ${AuftNr}` }).getByRole("link", { name: `Order ${AuftNr}`, exact: true }).click();
  const button = page.getByRole("button", { name: /^Invoice \d+ \(PDF\)$/ });
  const [file] = await Promise.all([page.waitForEvent("download"), button.click()]);
  assert.equal(file.suggestedFilename(), `rechnung-${invoice.RechNr}.pdf`);
  const xml = await client.invoiceFile(invoice.RechNr, "application/xml");
  assert.match(await xml.text(), /CrossIndustryInvoice/);
  assert.match(readFileSync(await file.path(), "latin1"), /^%PDF-1\.7/);
  await account("My orders");
});

test("an order is ordered again, and what is no longer for sale is told", async () => {
  const client = await own();
  const [{ AuftNr }] = (await client.pages("/www/auftrag", { limit: 1 }).next()).value.data;
  await page.route("**/www/artikel/LM-3001?*", (route) => route.fulfill({ status: 404, contentType: "application/json", body: '{"error":"not_found"}' }));
  await page.getByRole("button", { name: `Order again what is in order ${AuftNr}` }).click();
  await page.getByRole("alert").getByText(/^No longer for sale, and not in the basket: Kaffeebohnen/).waitFor();
  await expectRefusals(404);
  await page.unroute("**/www/artikel/LM-3001?*");
  assert.deepEqual(await page.locator("#basket input").evaluateAll((fields) => fields.map((one) => one.value)), ["12", "1"]);
  for (let left = 2; left > 0; left -= 1) await page.getByRole("button", { name: /^Remove/ }).first().click();
  await page.getByText("The basket is empty.").waitFor();
});

test("an order can go to another address, whose town is checked", async () => {
  await follow("Articles");
  await search("kaffee", "1 article");
  await page.getByRole("button", { name: /Kaffeebohnen/ }).first().click();
  await follow("Basket 1");
  await page.getByRole("link", { name: "Checkout" }).click();
  await page.getByLabel("Another address").check();
  await page.getByRole("button", { name: ORDER_BUTTON.en }).click();
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-invalid") === "true");
  await page.locator("#checkout").getByText("A company or a last name is needed").waitFor();
  for (const [label, value] of [["Company", "Filiale Biel"], ["Street", "Weg 1"], ["Postal code", "2502"], ["Town", "Biel"]]) {
    await page.locator("#checkout").getByLabel(label, { exact: label === "Company" }).fill(value);
  }
  await page.getByRole("button", { name: "Use Biel/Bienne" }).click();
  await shot("checkout");
  await accessible("the checkout");
});

test("the login survives a reload, and the basket the end of the login", async () => {
  await page.reload();
  await page.getByRole("link", { name: /Change the basket/ }).waitFor();
  assert.match(await text("#checkout"), /Kaffeebohnen/);
  // A response that is still to come would say that the login has ended before the button is pressed.
  await page.waitForLoadState("networkidle");
  const { token } = await page.evaluate(() => JSON.parse(localStorage.getItem("erp-shop")).session);
  await Client.resume(server.base, { token, ends: 0 }).logout();
  await page.getByRole("button", { name: ORDER_BUTTON.en }).click();
  await page.getByText("Your login has ended. Log in again; your basket is kept.").waitFor();
  assert.equal(await page.getByLabel("Customer number").inputValue(), "10001");
  await page.getByLabel("Password").fill(server.password("customers"));
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("link", { name: /Change the basket/ }).waitFor();
  assert.match(await text("#checkout"), /Kaffeebohnen/);
  await expectRefusals(401);
});

test("reference and comment stay over another language and a reload, until the order is placed", async () => {
  const written = () => page.evaluate(() => ["reference", "comment"].map((id) => document.getElementById(id).value));
  await page.getByLabel("Your reference").fill("PO 4711");
  await page.getByLabel("Comment").fill("Leave it at the gate");
  await page.getByLabel("Deutsch").check();
  await page.getByLabel("Ihre Referenz").waitFor();
  assert.deepEqual(await written(), ["PO 4711", "Leave it at the gate"]);
  await page.reload();
  await page.getByLabel("English").check();
  await page.getByLabel("Your reference").waitFor();
  assert.deepEqual(await written(), ["PO 4711", "Leave it at the gate"]);
  await page.getByRole("button", { name: ORDER_BUTTON.en }).click();
  await page.getByText("PO 4711").waitFor();
  await follow("Articles");
  await search("kaffee", "1 article");
  await page.getByRole("button", { name: /Kaffeebohnen/ }).first().click();
  await follow("Basket 1");
  await page.getByRole("link", { name: "Checkout" }).click();
  await page.getByLabel("Your reference").waitFor();
  assert.deepEqual(await written(), ["", ""]);
});

test("a page that was not seen before and cannot be read is told like a shop that cannot be reached", async () => {
  await page.reload();
  await page.getByRole("link", { name: /Change the basket/ }).waitFor();
  await page.route("**/*", (route) => route.abort("internetdisconnected"));
  await account("Addresses");
  await page.getByText("The shop cannot be reached at the moment.").waitFor();
  await page.getByLabel("Deutsch").check();
  await page.getByText("Der Shop ist im Moment nicht erreichbar.").waitFor();
  await page.unroute("**/*");
  await page.getByRole("button", { name: "Nochmals versuchen" }).click();
  await page.getByRole("heading", { level: 1, name: "Adressen" }).waitFor();
  await page.route("**/*", (route) => route.abort("internetdisconnected"));
  await page.locator('footer a[href="#invoice"]').click();
  await page.locator("#missing", { hasText: "Der Shop ist im Moment nicht erreichbar." }).waitFor();
  await page.getByLabel("English").check();
  await page.locator("#missing", { hasText: "The shop cannot be reached at the moment." }).waitFor();
  await page.goBack();
  await page.unroute("**/*");
  await page.locator('footer a[href="#invoice"]').click();
  await page.waitForSelector("#missing", { state: "detached" });
  assert.ok(wrong.splice(0).every((line) => /ERR_INTERNET_DISCONNECTED|^failed: /.test(line)));
  await page.goto(`${server.base}/#checkout`);
  await page.getByRole("link", { name: /Change the basket/ }).waitFor();
});

test("an order that may have been placed is not said to be refused", async () => {
  const body = '{"error":"unavailable","info":{"outcome":"unknown"}}';
  await page.route("**/www/auftrag", (route) => route.fulfill({ status: 503, contentType: "application/json", body }));
  await page.getByRole("button", { name: ORDER_BUTTON.en }).click();
  await page.getByText("No answer came. Press again: it is ordered once at most.", { exact: true }).waitFor();
  await page.unroute("**/www/auftrag");
  await expectRefusals(503, 503, 503);
});

test("an offer is asked for, changed and accepted", async () => {
  await page.getByRole("button", { name: "Ask for an offer" }).click();
  await page.getByText("This is our offer").waitFor();
  const total = await text(".order .total dd");
  const buttons = ["Change the offer", "Accept and order"].map((name) => page.getByRole("button", { name }));
  const enabled = () => Promise.all(buttons.map((button) => button.isEnabled()));
  assert.deepEqual(await enabled(), [false, true]);
  for (const [quantity, expected] of [["4.5", [false, false]], ["4", [true, false]]]) {
    await page.getByLabel(/^Quantity of Kaffee/).fill(quantity);
    await page.keyboard.press("Enter");
    assert.deepEqual(await enabled(), expected, quantity);
  }
  await page.route("**/www/offerte?*", (route) => route.fulfill({ status: 412, contentType: "application/json", body: "{}" }));
  await buttons[0].click();
  await page.getByText("The offer has been changed in the meantime. Load it again.").waitFor();
  assert.deepEqual(await enabled(), [true, false]);
  await page.unroute("**/www/offerte?*");
  await expectRefusals(412);
  await buttons[0].click();
  await page.waitForFunction((total) => ![total, undefined].includes(document.querySelector(".order .total dd")?.textContent), total);
  const number = /Offer (\d+)/.exec(await text("#live h1"))[1];
  await shot("offer");
  await accessible("the offer");
  await account("Offers");
  const card = page.locator(".documents li", { hasText: `Offer ${number}` });
  await card.getByText("open").waitFor();
  await card.getByRole("link").click();
  const changed = await text(".order .total dd");
  const [change, accept] = await Promise.all(buttons.map((button) => button.boundingBox()));
  assert.ok(change.y + change.height < accept.y, "what orders stands apart");
  const question = page.getByRole("dialog", { name: `Accept offer ${number}?` });
  for (const leave of [() => question.getByRole("button", { name: "Back" }).click(), () => page.keyboard.press("Escape")]) {
    await buttons[1].click();
    for (const told of [changed, "Filiale Winterthur"]) await question.getByText(told).waitFor();
    await leave();
    await question.waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => document.activeElement.id), "accept-offer");
  }
  await buttons[1].click();
  await page.getByRole("button", { name: ORDER_BUTTON.en }).waitFor();
  for (const size of [PHONE, DESK]) {
    await screens.shot(page, "page-accept", size, { fullPage: false });
    await screens.accessible(page, "the question before an offer is accepted");
  }
  await question.getByRole("button", { name: ORDER_BUTTON.en }).click();
  await page.getByText(/^Thank you! Your order has the number/).waitFor();
  assert.match(await text(".order"), /62\.00|57\.40/);
  await page.goBack();
  await page.getByRole("link", { name: /^Accepted: order/ }).waitFor();
  await account("Offers");
  await card.getByText(/^Accepted: order/).waitFor();
  await shot("offers");
  await accessible("the offers");
});

test("a new order is canceled after a question, where the server lets the shop", async () => {
  const client = await own();
  const { AuftNr } = await client.createOrder({ Positionen: [{ ArtNr: "BU-1013", Menge: 1 }] });
  const cancel = page.getByRole("button", { name: "Cancel the order" });
  const question = page.getByRole("dialog", { name: `Cancel order ${AuftNr}?` });
  const state = async () => (await client.readOrder(AuftNr)).data.GrundDaten.AuftStatus;
  await page.goto(`${server.base}/#order/${AuftNr}`);
  await cancel.click();
  await screens.shot(page, "page-cancel", PHONE, { fullPage: false });
  await screens.accessible(page, "the question before an order is canceled");
  await page.setViewportSize(DESK);
  await question.getByRole("button", { name: "Back" }).click();
  assert.equal(await state(), "N");
  const { AuftNr: open } = await client.createOrder({ Positionen: [{ ArtNr: "BU-1013", Menge: 1 }] });
  await page.goto(`${server.base}/#order/${open}`);
  await page.getByRole("heading", { level: 1, name: `Order ${open}` }).waitFor();
  const admin = await Client.login(server.base, { user: "admin", password: server.password("admin") });
  await admin.send("PUT", `/admin/auftrag/${open}/status`, { body: { AuftStatus: "O" } });
  await cancel.click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel the order" }).click();
  await page.getByRole("alert").getByText("This order can no longer be canceled here. Please contact us.").waitFor();
  await expectRefusals(409);
  await page.goto(`${server.base}/#order/${AuftNr}`);
  await page.getByRole("heading", { level: 1, name: `Order ${AuftNr}` }).waitFor();
  await cancel.click();
  await question.getByRole("button", { name: "Cancel the order" }).click();
  await page.getByText(`Order ${AuftNr} is canceled.`).waitFor();
  await page.locator(".order .facts").getByText("canceled", { exact: true }).waitFor();
  assert.deepEqual([await state(), await cancel.count()], ["S", 0]);
  await page.context().route("**/shop/demo.js", (route) => route.fulfill({ contentType: "text/javascript", body: "export const DEMO = true;\nexport const MAY_CANCEL = false;" }));
  const other = await client.createOrder({ Positionen: [{ ArtNr: "BU-1013", Menge: 1 }] });
  await page.goto(`${server.base}/#order/${other.AuftNr}`);
  await page.reload();
  await page.getByRole("button", { name: "Print" }).waitFor();
  assert.equal(await cancel.count(), 0);
  await page.context().unroute("**/shop/demo.js");
  await page.reload();
  await cancel.waitFor();
  await account("Offers");
});

test("the pages that the law asks of a shop are in the foot where they are set, and the button has its words", async () => {
  const legal = page.getByRole("navigation", { name: "Legal pages" });
  assert.equal(await legal.count(), 0);
  const source = readFileSync(new URL("examples/shop/company.js", root), "utf8");
  const body = source.replace(/ORDER_BUTTON = .*;/, 'ORDER_BUTTON = { de: "Jetzt kaufen" };').replace('imprint: ""', 'imprint: "/imprint.html"').replace('terms: ""', 'terms: "/terms.html"');
  await page.route("**/company.js", (route) => route.fulfill({ contentType: "text/javascript", body }));
  await page.reload();
  await page.waitForSelector("#live:not([aria-busy])");
  assert.deepEqual(await legal.getByRole("link").evaluateAll((all) => all.map((one) => [one.textContent, one.pathname])), [["Imprint", "/imprint.html"], ["Terms and conditions", "/terms.html"]]);
  await accessible("legal pages");
  await follow("Articles");
  await search("kaffee", "1 article");
  await page.getByRole("button", { name: /Kaffeebohnen/ }).first().click();
  await page.locator("#said").getByRole("link", { name: "Checkout" }).click();
  await page.getByRole("button", { name: "Place the order" }).waitFor();
  await shot("legal");
  await page.getByLabel("Deutsch").check();
  await page.getByRole("button", { name: "Jetzt kaufen" }).waitFor();
  await page.getByRole("heading", { level: 1, name: "Kasse", exact: true }).waitFor();
  assert.deepEqual(await page.locator("#legal a").allInnerTexts(), ["Impressum", "AGB"]);
  await page.getByLabel("English").check();
  await page.unroute("**/company.js");
  await follow("Basket 1");
  await page.getByRole("button", { name: /^Remove/ }).click();
  await page.reload();
  await account("Offers");
});

test("offers that were made on another device are listed, page by page", async () => {
  const client = await own();
  const made = [];
  for (let at = 0; at < 10; at += 1) {
    const { data } = await client.createOffer({ Positionen: [{ ArtNr: "LM-3001", Menge: at + 1 }] });
    made.unshift(`Offer ${data.OffertNr}`);
  }
  await page.reload();
  const titles = page.locator(".documents h2");
  await page.getByText(made[0]).waitFor();
  assert.deepEqual(await titles.allInnerTexts(), made);
  await page.getByRole("link", { name: "Next" }).click();
  await page.getByText(/^Accepted: order/).waitFor();
  assert.equal(await titles.count(), 1);
  const stored = await page.evaluate(() => Object.keys(localStorage));
  assert.ok(!stored.some((name) => name.includes("offer")), `${stored}`);
});

test("the address book shows each address once, and changes the one of the server", async () => {
  await account("Addresses");
  const cards = page.locator(".address-book li");
  await cards.first().waitFor();
  const count = await cards.count();
  await shot("addresses");
  await accessible("the addresses");
  const card = page.locator(".address-book li", { hasText: "Filiale Winterthur" });
  await card.getByRole("button").click();
  await page.getByLabel("Street").fill("Beispielgasse 5");
  await page.getByLabel("Town").fill("Zürich");
  await page.getByText(/^This town has other postal codes/).waitFor();
  await screens.accessible(page, "the form of an address");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/^This town has other postal codes/).waitFor();
  await page.getByLabel("Town").fill("Winterthur");
  await page.getByRole("button", { name: "Save" }).click();
  await card.getByText("Beispielgasse 5").waitFor();
  assert.equal(await cards.count(), count);
  const { KundLief } = await (await own()).listAddresses("10001");
  assert.ok(KundLief.some(({ AdrAdresse1, AdrFirma2 }) => AdrAdresse1 === "Beispielgasse 5" && AdrFirma2 === "Filiale Winterthur"));
});

test("an address keeps a country that is not in the list", async () => {
  const kept = await page.evaluate(async () => {
    const { AddressForm } = await import("/address-form.js");
    const form = new AddressForm(document.createElement("div"));
    form.fill({ OrtLand: "NL", OrtPLZ: "1012", OrtName: "Amsterdam" });
    return form.body.OrtLand;
  });
  assert.equal(kept, "NL");
});

test("what the server refuses is told in the language of the page", async () => {
  await page.getByLabel("Deutsch").check();
  await page.goto(`${server.base}/#article/NOPE`);
  await page.getByRole("alert").getByText("Nicht gefunden: Artikel «NOPE».", { exact: true }).waitFor();
  await page.getByLabel("English").check();
  await page.getByRole("alert").getByText("There is no such article “NOPE”.", { exact: true }).waitFor();
  // The article and its media, in both languages.
  await expectRefusals(404, 404, 404, 404);
  await page.locator("#live").getByRole("link", { name: "All articles" }).click();
  await found("1 to 12 of 71 articles");
});

/** A new visitor: a page, and a function that opens more tabs. */
async function visitor(locale) {
  const { context, close } = await browser({ locale });
  const tab = async (address) => {
    const opened = await context.newPage();
    await opened.goto(`${server.base}/${address}`);
    return opened;
  };
  return { context, tab, close };
}

const link = () => `#demo=${server.password("customers")}`;

test("the demo's link logs in, in the language of the visitor, and its password is kept nowhere", async () => {
  for (const [locale, article, words] of [["en-GB", /^Copy paper/, "Bright white paper"], ["de-CH", /^Kopierpapier/, "Hochweisses Papier"]]) {
    const { tab, close } = await visitor(locale);
    try {
      const first = await tab(link());
      await first.waitForSelector(".hero");
      assert.equal(new URL(first.url()).hash, "#home");
      const stored = await first.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
      assert.ok(!stored.includes(server.password("customers")), stored);
      // What the page holds is for one customer.
      const { session, number } = JSON.parse(await first.evaluate(() => localStorage.getItem("erp-shop")));
      assert.equal(session.customer, number);
      const own = Client.resume(server.base, session);
      assert.ok((await own.readCustomer(number)).data.KundKontakt > 0);
      await assert.rejects(own.readCustomer("10002"), { status: 404 });
      const second = await tab("#article/BU-1001");
      await second.getByRole("heading", { level: 1, name: article }).waitFor();
      await second.locator(".text", { hasText: words }).waitFor();
      await second.locator(".one-article .buy > button").click();
      await first.getByRole("link", { name: /^(Basket|Warenkorb) 1$/ }).waitFor();
      await first.locator("#account summary").click();
      await first.getByRole("button", { name: /Log out|Abmelden/ }).click();
      await second.locator("#login").waitFor();
      assert.equal(await first.evaluate(() => localStorage.getItem("erp-shop")), null);
      assert.equal(await first.locator("#password").inputValue(), "");
    } finally {
      await close();
    }
  }
});

test("a link replaces no login without a click, and logs in nowhere but at the demo", async () => {
  const { context, tab, close } = await visitor("en-GB");
  try {
    const first = await tab("");
    await logIn(first);
    const second = await tab(link());
    const who = (page, name) => page.locator("#who", { hasText: name }).waitFor({ state: "attached" });
    await who(second, "Café Sonnenschein (10001)");
    await second.getByRole("button", { name: "Log in by the link instead" }).click();
    for (const page of [first, second]) await who(page, "Harbour Test Supplies (10018)");
    await account("Log out", second);
    await context.route("**/shop/demo.js", (route) => route.fulfill({ contentType: "text/javascript", body: "export const DEMO = false;\nexport const MAY_CANCEL = false;" }));
    const third = await tab(link());
    await third.waitForSelector("#login[data-ready]");
    assert.equal(new URL(third.url()).hash, "#home");
    assert.equal(await third.locator("#password").inputValue(), "");
    assert.equal(await third.locator(".hero").count(), 0);
  } finally {
    await close();
  }
});

test("the first page of a customer is light", async () => {
  const { context, close } = await browser({ locale: "en-GB" });
  try {
    const page = await context.newPage();
    const sizes = [];
    page.on("requestfinished", (request) => {
      if (request.url().includes("/www/artikelmediadaten/")) return;
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await page.goto(`${server.base}/${link()}`);
    await page.locator(".grid .tile img:not([hidden])").first().waitFor();
    page.removeAllListeners("requestfinished");
    const bytes = (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0);
    assert.ok(bytes < 150_000, `${bytes} bytes`);
  } finally {
    await close();
  }
});

test("there are invoices to try", async () => {
  await account("Check e-invoices");
  await page.waitForSelector("#drop[data-ready]");
  for (const [name, file, verdict] of [
    ["A PDF", "sample.pdf", "The invoice is valid"],
    ["A broken XML", "sample-broken.xml", "The invoice is not valid"],
    ["A valid XML", "sample-valid.xml", "The invoice is valid"],
  ]) {
    await page.getByRole("button", { name, exact: true }).click();
    await page.locator("#invoice-state").getByText(`${file} is read. ${verdict}`).waitFor();
  }
  await page.getByRole("button", { name: "Remove sample-valid.xml" }).click();
});

test("an invoice in a PDF becomes readable", async () => {
  await page.waitForSelector("#drop[data-ready]");
  await accessible("the place for files");
  await page.getByLabel("Choose files").setInputFiles(fixture("hybrid-facturx-en16931.pdf"));
  await page.getByRole("heading", { name: "Invoice 4711 of 2026-01-02" }).waitFor();
  const shown = await text("#result");
  for (const words of ["Sägewerk Müller & Söhne", "Küchen Beispiel AG", "79098 Freiburg", "Brett, Eiche", "50.00", "100.00", "19.00", "Totals (EUR)", "119.00", "says it is PDF/A-3b", "factur-x.xml", "Alternative", "Factur-X EN 16931"]) {
    assert.ok(shown.includes(words), `${words} in ${shown}`);
  }
  await shot("invoice");
  await accessible("an invoice");
  await page.getByLabel("Deutsch").check();
  await page.getByRole("heading", { name: "Rechnung 4711 vom 02.01.2026" }).waitFor();
  await page.getByLabel("English").check();
});

test("old invoices and orders are read too", async () => {
  for (const [file, title, profile] of [
    ["hybrid-zugferd-1.0-comfort.pdf", "Invoice 4711 of 2014-06-25", "ZUGFeRD 1.0 COMFORT"],
    ["hybrid-order-x-comfort.pdf", "Order B-12 of 2026-01-02", "Order-X COMFORT"],
    ["hybrid-xrechnung-3.0.pdf", "Invoice 4711 of 2026-01-02", "XRECHNUNG"],
  ]) {
    await page.getByLabel("Choose files").setInputFiles(fixture(file));
    await page.getByText(`${file} is read.`).waitFor();
    const shown = await text("#result");
    assert.ok(shown.includes(title) && shown.includes(profile), `${file}: ${shown}`);
  }
});

test("what cannot be read says why", async () => {
  await page.getByLabel("Choose files").setInputFiles(fixture("plain-helvetica.pdf"));
  await page.getByText("plain-helvetica.pdf: This did not work: there is no invoice in this PDF.").waitFor();
  assert.match(await text("#result"), /says nothing/);
  await page.getByLabel("Choose files").setInputFiles(fixture("README.md"));
  await page.getByText("Neither PDF nor XML: README.md").waitFor();
  assert.equal(await text("#result"), "");
  await page.getByLabel("Choose files").setInputFiles(fixture("enc-aes256-user-password.pdf"));
  await page.getByText("enc-aes256-user-password.pdf: This did not work: the PDF is encrypted.").waitFor();
  assert.equal(await text("#result"), "");
  await page.getByLabel("Choose files").setInputFiles([fixture("a3b.pdf"), fixture("plain-helvetica.pdf")]);
  await page.getByText("Only one PDF and one XML at a time; not used: plain-helvetica.pdf").waitFor();
  const other = join(server.folder, "page.xml");
  writeFileSync(other, "<html><body/></html>");
  await page.getByRole("button", { name: /^Remove/ }).click();
  await page.getByLabel("Choose files").setInputFiles(other);
  await page.getByText("page.xml is read. This is no invoice that can be checked here.").waitFor();
  await page.getByRole("button", { name: /^Remove/ }).click();
});

test("a PDF and an XML become a hybrid that is saved", async () => {
  const hybrid = fixture("hybrid-facturx-en16931.pdf");
  const xml = join(server.folder, "invoice.xml");
  await page.getByLabel("Choose files").setInputFiles(hybrid);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Save the XML" }).click()]);
  assert.equal(saved.suggestedFilename(), "factur-x.xml");
  await saved.saveAs(xml);
  for (const [file, outcome] of [
    ["plain-nothing-but-fonts.pdf", "What it lacked was added"],
    ["a3b.pdf", "It was PDF/A-3 and still is."],
    ["plain-helvetica.pdf", "does not say it is PDF/A"],
  ]) {
    await page.getByLabel("Choose files").setInputFiles([fixture(file), xml]);
    await page.locator("#result").getByText(outcome).waitFor();
    const link = page.getByRole("link", { name: "Save the hybrid PDF" });
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    assert.equal(download.suggestedFilename(), file.replace(".pdf", "-hybrid.pdf"));
    assert.deepEqual(await extracted(download), readFileSync(xml));
  }
  await shot("hybrid");
  await accessible("a hybrid");
});

/** The XML of a saved PDF, extracted by the server. */
async function extracted(download) {
  const [pdf, xml] = ["saved.pdf", "saved.xml"].map((name) => join(server.folder, name));
  await download.saveAs(pdf);
  execFileSync(server.binary, ["zugferd", "extract", pdf, "--output", xml, "--force"]);
  return readFileSync(xml);
}

test("large files show progress and can be cancelled", async () => {
  const large = join(server.folder, "large.pdf");
  const small = readFileSync(fixture("hybrid-facturx-en16931.pdf"));
  writeFileSync(large, Buffer.concat([small, Buffer.alloc(40_000_000, "% filler\n")]));
  const chosen = page.getByLabel("Choose files");
  await page.evaluate(() => {
    globalThis.seen = new Set();
    const bar = document.querySelector("#progress");
    new MutationObserver(() => globalThis.seen.add(bar.value)).observe(bar, { attributes: true });
  });
  await chosen.setInputFiles(large);
  await page.getByText("large.pdf is read.").waitFor();
  const seen = await page.evaluate(() => [...globalThis.seen]);
  assert.ok(seen.some((value) => value > 0 && value < 1), `${seen.slice(0, 9)}`);
  assert.match(await text("#result"), /To pay\s+119\.00/);
  assert.equal(await page.locator("#work").isVisible(), false);

  await page.evaluate(() => {
    const stop = () => document.querySelector("#cancel").click();
    new MutationObserver((_, watch) => (watch.disconnect(), stop())).observe(document.querySelector("#work"), { attributes: true });
  });
  await chosen.setInputFiles(large);
  await page.getByText("Cancelled.").waitFor();
  assert.equal(await text("#result"), "");
});

test("an XML alone is shown, and a PDF after it makes the hybrid", async () => {
  const chosen = page.getByLabel("Choose files");
  await page.getByRole("button", { name: "Remove large.pdf" }).click();
  await chosen.setInputFiles(join(server.folder, "invoice.xml"));
  await page.getByText("invoice.xml is read.").waitFor();
  assert.match(await text("#result"), /To pay\s+119\.00/);
  await chosen.setInputFiles(fixture("a3b.pdf"));
  await page.getByRole("heading", { name: "The hybrid PDF is ready." }).waitFor();
});

test("an XML is read in the encoding it names", async () => {
  const utf8 = readFileSync(join(server.folder, "invoice.xml"), "utf8");
  const chosen = page.getByLabel("Choose files");
  for (const [name, encoding, label, mark] of [
    ["latin.xml", "latin1", "ISO-8859-1", ""],
    ["wide.xml", "utf16le", "UTF-16", "\ufeff"],
  ]) {
    const xml = join(server.folder, name);
    writeFileSync(xml, Buffer.from(mark + utf8.replace("UTF-8", label), encoding));
    await chosen.setInputFiles(xml);
    await page.getByText(`${name} is read.`).waitFor();
    assert.match(await text("#result"), /Sägewerk Müller & Söhne/);
  }
  writeFileSync(join(server.folder, "broken.xml"), "<a><b></a>");
  await chosen.setInputFiles(join(server.folder, "broken.xml"));
  await page.getByText("broken.xml is read. The invoice is not valid: 1 error.").waitFor();
  assert.match(await text("#result"), /not well-formed: line 1, column 7/);
  assert.equal(await page.getByRole("button", { name: "Remove broken.xml" }).count(), 0);
});

test("files can be dropped", async () => {
  const content = readFileSync(fixture("hybrid-facturx-extended.pdf")).toString("base64");
  const dropped = await page.evaluateHandle((content) => {
    const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], "dropped.pdf", { type: "application/pdf" }));
    return data;
  }, content);
  for (const event of ["dragenter", "dragover", "drop"]) await page.dispatchEvent("#drop", event, { dataTransfer: dropped });
  await page.getByText("dropped.pdf is read.").waitFor();
  assert.match(await text("#result"), /Factur-X EXTENDED/);
});

/** The result that the page shows for an invoice: its state, and the rules found at each place. */
async function checked(name) {
  await page.getByLabel("Choose files").setInputFiles(fileURLToPath(new URL(name, checkFixtures)));
  await page.getByText(`${name} is read.`).waitFor();
  const places = await page.locator(".report .findings ol").evaluateAll((lists) =>
    lists.map((list) => [
      list.previousElementSibling.textContent,
      [...list.children].map((finding) => finding.querySelector("code").textContent),
    ]),
  );
  return { state: await text("#invoice-state"), places };
}

test("a valid invoice is said to be valid", async () => {
  await page.getByRole("button", { name: "Remove dropped.pdf" }).click();
  const { state, places } = await checked("valid.xml");
  assert.deepEqual([state, places], ["valid.xml is read. The invoice is valid.", []]);
  const shown = await text("#result");
  for (const words of ["urn:cen.eu:en16931:2017", "Mühle Beispiel GmbH", "160.60"]) assert.ok(shown.includes(words), shown);
  await shot("check-valid");
  await accessible("a valid invoice");
});

test("a UBL credit note is shown and checked", async () => {
  const { state } = await checked("ubl-credit-note.xml");
  assert.equal(state, "ubl-credit-note.xml is read. The invoice is valid.");
  const shown = await text("#result");
  for (const words of ["UBL 2.1", "EN 16931 UBL", "Credit note G-1", "Seller", "DE123456789", "10115 Berlin", "Chair", "39.00", "Totals (EUR)", "200.00"]) {
    assert.ok(shown.includes(words), `${words} in ${shown}`);
  }
  await shot("check-ubl");
  await accessible("a UBL credit note");
});

test("findings are shown by place, with rule, terms, line and values, in both languages", async () => {
  const { state, places } = await checked("broken-sums.xml");
  assert.equal(state, "broken-sums.xml is read. The invoice is not valid: 6 errors, 1 warning.");
  assert.deepEqual(places, [
    ["Document", ["CII-SR-013", "ERP-STRUCTURE"]],
    ["VAT standard rate (S)", ["BR-CO-17", "BR-S-09"]],
    ["Totals", ["BR-CO-10", "BR-CO-13", "BR-CO-14"]],
  ]);
  const finding = page.locator(".report li", { hasText: "BR-CO-10" });
  const shown = await finding.innerText();
  for (const words of ["EN 16931 CII", "Factur-X", "BT-106", "Line 142", "155.00", "150", "ram:SpecifiedTradeSettlementHeaderMonetarySummation"]) {
    assert.ok(shown.includes(words), `${words} in ${shown}`);
  }
  await shot("check-sums");
  await accessible("findings");
  // From a value to its finding and from there to its place, while the address stays that of the page.
  const address = page.url();
  const focused = () => page.evaluate(() => document.activeElement.innerText);
  await page.locator(".report dd", { hasText: "155.00" }).getByRole("link", { name: "BR-CO-10" }).click();
  assert.equal(await focused(), shown);
  await page.locator(".report .findings").getByRole("link", { name: "Totals" }).click();
  assert.match(await focused(), /^Totals \(EUR\) 3 findings/);
  assert.equal(page.url(), address);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Save the report" }).click()]);
  assert.equal(saved.suggestedFilename(), "broken-sums.xml.html");
  const asJson = page.getByRole("link", { name: "Save what it says as JSON" });
  const [told] = await Promise.all([page.waitForEvent("download"), asJson.click()]);
  assert.equal(told.suggestedFilename(), "broken-sums.xml.json");
  const said = JSON.parse(readFileSync(await told.path(), "utf8"));
  assert.deepEqual([said.syntax, said["BG-22"]["BT-106"]], ["CII", "155.00"]);
  await page.getByLabel("Deutsch").check();
  assert.match(await text("#invoice-state"), /^broken-sums\.xml ist gelesen\. Die Rechnung ist ungültig: \d+ Fehler, 1 Warnung\.$/);
  assert.match(await finding.innerText(), /Summe der Nettobeträge.*\s+Zeile 142/);
  await shot("check-sums-german");
  await page.getByLabel("English").check();
});

test("what is missing and what is no code is found", async () => {
  const { places } = await checked("broken-terms.xml");
  const rules = new Set(places.flatMap(([, rules]) => rules));
  for (const rule of ["BR-07", "BR-27", "BR-CL-04", "BR-CL-14"]) assert.ok(rules.has(rule), `${rule} in ${[...rules]}`);
  assert.match(await text("#result"), /Name\s+missing BR-07/);
  await shot("check-terms");
});

test("what is not well-formed says where", async () => {
  const { places } = await checked("broken-xml.xml");
  assert.deepEqual(places, []);
  assert.match(await text(".report .verdict"), /line 50/);
  assert.match(await text(".report mark"), /^50: .*Mohn & Mehl/);
  await shot("check-xml");
});

test("the invoice of a hybrid is checked, and other documents are not called invalid", async () => {
  const chosen = page.getByLabel("Choose files");
  await chosen.setInputFiles(fixture("a3b.pdf"));
  await chosen.setInputFiles(fileURLToPath(new URL("valid.xml", checkFixtures)));
  await page.getByText("The hybrid PDF is ready. The invoice is valid.").waitFor();
  await chosen.setInputFiles(fixture("hybrid-order-x-comfort.pdf"));
  await page.getByText("hybrid-order-x-comfort.pdf is read. This is no invoice that can be checked here.").waitFor();
  assert.equal(await page.locator(".report li").count(), 0);
});

test("an invoice is chosen with the keyboard alone, and its verdict is announced", async () => {
  // Registered early, because Chromium needs a moment before it reports file choosers.
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Remove hybrid-order-x-comfort.pdf" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.id === "files");
  await page.keyboard.press("Enter");
  await (await chooser).setFiles(fileURLToPath(new URL("broken-sums.xml", checkFixtures)));
  await page.getByRole("status").filter({ hasText: "broken-sums.xml is read. The invoice is not valid" }).waitFor();
});

test("a town is corrected with the keyboard alone", async () => {
  await page.getByRole("link", { name: "Address", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("#address-form[data-ready]");
  await page.getByLabel("Postal code").fill("2502");
  await page.getByLabel("Town").fill("Biel");
  await page.getByRole("button", { name: "Use Biel/Bienne" }).focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.getByLabel("Town").inputValue(), "Biel/Bienne");
  assert.equal(await page.locator(".towns button").count(), 0);
});

test("a town elsewhere is told with some of its postal codes, and the town of the code is offered", async () => {
  await page.getByLabel("Postal code").fill("8001");
  await page.getByLabel("Town").fill("Bern");
  assert.match(await page.textContent("#OrtName-problem"), /^This town has other postal codes: (\d{4}, ){4}\d{4} …$/);
  await page.getByRole("button", { name: "Use Zürich" }).click();
  assert.equal(await page.textContent("#OrtName-problem"), "");
});

test("problems stand at their fields, in both languages", async () => {
  await page.getByLabel("Company", { exact: true }).fill("x".repeat(37));
  assert.equal(await page.getByLabel("Company", { exact: true }).getAttribute("aria-invalid"), "true");
  assert.equal(await page.textContent("#AdrFirma-problem"), "At most 36 characters.");
  await shot("address");
  await accessible("the address form");
  await page.getByLabel("Deutsch").check();
  assert.equal(await page.textContent("#AdrFirma-problem"), "Höchstens 36 Zeichen.");
  assert.equal(await page.getAttribute("html", "lang"), "de");
});

test("a whole address is fine", async () => {
  await page.getByLabel("Firma").fill("Muster AG");
  await page.getByLabel("Strasse").fill("Weg 1");
  assert.equal(await page.textContent("#state"), "Diese Adresse ist in Ordnung.");
});

test("both languages have the same words", () => {
  for (const [en, de] of [[WORDS.en, WORDS.de], [TOOL_WORDS.en, TOOL_WORDS.de]]) assert.deepEqual(Object.keys(de).sort(), Object.keys(en).sort());
});

test("nothing comes from elsewhere, nothing was refused and nothing failed", () => {
  assert.deepEqual(wrong, []);
});

test("without the package the shop works, and the tools say that they are not available", async () => {
  const bare = await demo({ built: false });
  const { page } = await watchedPage(chromium.context);
  try {
    await page.goto(bare.base);
    await page.getByLabel("English").check();
    await logIn(page, "10001", bare);
    await page.getByRole("link", { name: /^Food/ }).click();
    await page.locator("#found").getByText("1 to 12 of 14 articles", { exact: true }).waitFor();
    await page.locator("#articles > *").filter({ has: page.locator(".stock.there") }).first().locator(".buy > button").first().click();
    await page.getByRole("link", { name: "Basket 1" }).click();
    for (const [language, told] of [["Deutsch", "Die Summe folgt mit der Bestellung."], ["English", "The total follows with the order."]]) {
      await page.getByLabel(language).check();
      await page.locator("#sums").getByText(told, { exact: true }).waitFor();
    }
    await page.getByRole("link", { name: "Checkout" }).click();
    await page.locator("#checkout #sums").getByText("The total follows with the order.", { exact: true }).waitFor();
    await page.getByRole("button", { name: ORDER_BUTTON.en }).click();
    await page.getByText(/^Thank you! Your order has the number/).waitFor();
    await page.locator(".order .total").waitFor();
    const unavailable = "This page is not available here yet.";
    await page.getByRole("link", { name: "Check e-invoices" }).click();
    await page.waitForSelector("#drop[data-ready]");
    await page.getByLabel("Choose files").setInputFiles(fixture("a3b.pdf"));
    await page.locator("#invoice-state").getByText(unavailable, { exact: true }).waitFor();
    await page.getByRole("link", { name: "Address", exact: true }).click();
    await page.locator("#address-missing").getByText(unavailable, { exact: true }).waitFor();
    assert.equal(await page.locator("#address-form").isVisible(), false);
  } finally {
    await bare.close();
  }
});

testClient(() => server);
