// The documentation page of the interface, in Chromium, with the server's content security policy.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";

import { accessible, DESK, opened, PHONE, shot } from "./screens.mjs";

let server, page, wrong, asked, close;

before(async () => {
  ({ server, page, wrong, close } = await opened({ built: false, permissions: ["clipboard-read", "clipboard-write"] }));
  asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`${server.base}/docs`);
});

after(() => close?.());

const operation = (method, path) => page.locator(`section[data-method="${method}"][data-path="${path}"]`);
const password = (name) => server.password(name);

/** Logs in with the form in the head of the page. */
async function logIn(user, secret) {
  const login = page.locator("#login");
  await login.getByLabel("User").fill(user);
  await login.getByLabel("Password").fill(secret);
  await login.getByRole("button", { name: "Log in" }).click();
}

test("a word is searched in paths, fields and texts", async () => {
  const search = page.getByLabel("Search paths, fields and texts");
  await page.keyboard.press("/");
  assert.ok(await search.evaluate((box) => box === document.activeElement));
  const all = await page.locator("main section section").count();
  await search.fill("AuftBez order");
  const shown = await page.locator("main section section:visible").count();
  assert.ok(shown > 2 && shown < 20, `${shown}`);
  await page.getByText(`${shown} of ${all} shown`).waitFor();
  assert.ok(await page.locator('nav a[href="#record-OrderHeader"]').isVisible());
  assert.ok(!(await page.locator('nav a[href="#op-createToken"]').isVisible()));
  await search.fill("AuftBestellRef");
  const users = page.locator("#record-OrderHeader .users");
  assert.deepEqual(await users.getByRole("link").allInnerTexts(), ["PUT /admin/auftrag/{AuftNr}/status", "GET /www/auftrag/{AuftNr}"]);
  await users.getByRole("link").last().click();
  assert.ok(await operation("get", "/www/auftrag/{AuftNr}").isVisible());
  // The operations that take or return a field are found with it.
  for (const [method, path] of [["post", "/www/auftrag"], ["get", "/www/auftrag/{AuftNr}"]]) {
    await search.fill("AuftBestellRef");
    assert.ok(await operation(method, path).isVisible(), path);
    await search.fill("AuftBrutto");
    assert.equal(await operation(method, path).isVisible(), method === "get", path);
  }
  assert.ok(!(await operation("get", "/www/artikel").isVisible()));
  await search.fill("nosuchword");
  assert.equal(await page.locator("main section:visible").count(), 0);
  await search.fill("");
  assert.equal(await page.locator("main section section:visible").count(), all);
});

test("the side bar follows, and links open what they lead to", async () => {
  await operation("post", "/www/auftrag").evaluate((section) => section.scrollIntoView());
  await page.waitForSelector('nav a[aria-current][href="#op-createOrder"]');
  await page.getByLabel("Search paths, fields and texts").fill("zugferd");
  await page.evaluate(() => (location.hash = "#record-OrderBody"));
  await page.locator("#record-OrderBody table").waitFor();
  assert.equal(await page.getByLabel("Search paths, fields and texts").inputValue(), "");
});

test("the menu names what operations do, with their paths as hints", async () => {
  const link = page.locator('nav a[href="#op-createOrder"]');
  assert.deepEqual([await link.innerText(), await link.getAttribute("title")], ["POST Place an order", "/www/auftrag"]);
  const titles = await page.locator('nav a[href^="#op-"]').allInnerTexts();
  assert.deepEqual(titles.filter((title) => title.includes("/")), []);
});

test("the fields of a body unfold in their place, level by level", async () => {
  const order = operation("post", "/www/auftrag");
  await order.getByRole("button", { name: "Fields of OrderBody here" }).click();
  const inside = order.locator(".inside").first();
  await inside.getByRole("button", { name: "Fields of PositionBody here" }).click();
  assert.match(await inside.innerText(), /GrundDaten[^]*Positionen[^]*ArtNr/);
  await order.getByRole("button", { name: "Fields of OrderBody here" }).click();
  assert.equal(await order.locator(".inside").count(), 0);
  const currencies = operation("get", "/www/artikel").locator("td details", { hasText: "165 values" });
  assert.equal(await currencies.first().evaluate((details) => details.open), false);
});

test("a request is sent with a token got on the page", async () => {
  const articles = operation("get", "/www/artikel");
  await articles.getByText("Try it").click();
  const send = articles.getByRole("button", { name: "Send" });
  await send.click();
  await articles.getByText("401 Unauthorized").waitFor();
  await articles.getByRole("link", { name: "Log in first" }).click();
  await logIn("shop1", "wrong");
  await page.getByText("Not logged in: ").waitFor();
  await logIn("shop1", password("shop1"));
  await page.getByText("Logged in as shop1 until ").waitFor();
  assert.ok(!(await articles.getByRole("link", { name: "Log in first" }).isVisible()));
  await articles.getByLabel("limit").fill("2");
  await articles.getByLabel("sorts").fill("ArtNr");
  await send.click();
  await articles.getByText("200 OK").waitFor();
  const response = articles.locator(".side > div", { hasText: "200 OK" });
  const shown = await response.locator("pre").last().innerText();
  assert.equal(JSON.parse(shown).data.length, 2, shown);
  await response.getByRole("button", { name: "Copy" }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), shown);
  // Chromium reports both error responses.
  const refused = wrong.splice(0);
  assert.ok(refused.length === 2 && refused.every((line) => line.includes("401")), `${refused}`);
});

test("a login lasts over a new load of the page, without the password, until its end", async () => {
  await page.reload();
  await page.getByText("Logged in as shop1 until ").waitFor();
  assert.ok(!(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).includes(password("shop1")));
  const { token } = JSON.parse(await page.evaluate(() => sessionStorage.getItem("erp-docs-login")));
  const ask = () => fetch(`${server.base}/www/artikel?limit=1`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal((await ask()).status, 200);
  const ended = page.waitForResponse((response) => response.url().endsWith("/www/token/revoke"));
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByText("Not logged in.").waitFor();
  await ended;
  assert.equal((await ask()).status, 401);
  await page.reload();
  await page.getByText("Not logged in.").waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  await page.locator("#login summary").click();
  await logIn("shop1", password("shop1"));
  await page.getByText("Logged in as shop1 until ").waitFor();
  await page.evaluate((base) => {
    const { token } = JSON.parse(sessionStorage.getItem("erp-docs-login"));
    return fetch(`${base}/www/token/revoke`, { method: "POST", headers: { authorization: `Bearer ${token}` } });
  }, server.base);
  const articles = operation("get", "/www/artikel");
  await articles.getByText("Try it").click();
  await articles.getByRole("button", { name: "Send" }).click();
  await page.getByText("The login has ended.").waitFor();
  assert.ok(await articles.getByRole("link", { name: "Log in first" }).isVisible());
  assert.match(wrong.splice(0).join(), /401/);
});

async function token(name) {
  const login = { method: "POST", headers: { authorization: `Basic ${btoa(`${name}:${password(name)}`)}` } };
  return (await (await fetch(`${server.base}/www/token`, login)).json()).access_token;
}

const programs = {
  curl: (code, token) => execFileSync("sh", ["-c", `${code} -sS -w '%{http_code}'`], { env: { ...process.env, TOKEN: token } }),
  JavaScript: (code, token) => execFileSync("node", ["--input-type=module", "-e", code.replace("TOKEN", token)]),
  Python: (code, token) => execFileSync("python3", ["-c", code.replace("TOKEN", token)]),
  PHP: (code, token) => execFileSync("php", ["-r", code.replace("<?php", "").replace("TOKEN", token)]),
};

/** Whether the program of a sample is installed; with CI=true it must be. */
function runs(program) {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    assert.notEqual(process.env.CI, "true", `${program} is missing`);
    return false;
  }
}

test("the samples of all languages place the order of the form", async () => {
  const order = operation("post", "/www/auftrag");
  await order.getByText("Try it").click();
  const name = "O'Neil \\ \"\"\" ${x} `y`";
  const body = { GrundDaten: { KundNr: "10001", AuftBez: name }, Positionen: [{ ArtNr: "BU-1004", Menge: 1 }] };
  await order.locator("textarea").fill(JSON.stringify(body, null, 2));
  const shop = await token("shop1");
  for (const [language, run] of Object.entries(programs)) {
    if (!runs({ curl: "curl", JavaScript: "node", Python: "python3", PHP: "php" }[language])) continue;
    await order.getByLabel("Code sample").selectOption(language);
    const code = await order.locator(".sample").innerText();
    assert.ok(!code.includes(shop), language);
    const printed = run(code, shop).toString();
    assert.match(printed, /201/, `${language}: ${printed}`);
    const placed = JSON.parse(printed.slice(printed.indexOf("{"), printed.lastIndexOf("}") + 1));
    const read = await fetch(`${server.base}/www/auftrag/${placed.data.AuftNr}`, { headers: { authorization: `Bearer ${shop}` } });
    assert.equal((await read.json()).data.GrundDaten.AuftBez, name, language);
  }
});

test("samples stand beside their operations on a desk and below them on a phone, all in one language", async () => {
  const order = operation("post", "/www/auftrag");
  await order.getByLabel("Code sample").selectOption("Python");
  await page.reload();
  await operation("get", "/www/artikel").getByText("import urllib.request").waitFor();
  for (const [size, isBeside] of [[DESK, true], [PHONE, false]]) {
    await page.setViewportSize(size);
    const [words, side] = await order.locator("> div").evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().toJSON()));
    assert.equal(side.left >= words.right, isBeside);
    assert.equal(side.top >= words.bottom, !isBeside);
  }
  await page.setViewportSize(DESK);
});

test("the steps of a guide can be run one after the other", async () => {
  const admin = await token("admin");
  const shop = await token("shop1");
  const filled = {
    "USER:PASSWORD": `shop1:${password("shop1")}`,
    STAND: undefined,
    100001: undefined,
    "https://shop.example.ch/hooks": "http://127.0.0.1:9/hooks",
  };
  let last;
  const run = async (guide, step, user = shop) => {
    const box = page.locator(`#guide-${guide} .side`).nth(step);
    await box.getByLabel("Code sample").selectOption("curl");
    let code = await box.locator(".sample").innerText();
    for (const [name, value] of Object.entries(filled)) if (value !== undefined) code = code.replace(name, value);
    const printed = programs.curl(code, user).toString();
    last = { status: Number(printed.slice(-3)), text: printed.slice(0, -3) };
    return last.text ? JSON.parse(last.text) : undefined;
  };
  const whole = (await run("log-in", 0)).access_token;
  assert.ok(whole);
  assert.equal((await run("log-in", 1)).debinr, "10007");
  const all = await run("sync", 0, whole);
  filled.STAND = all.stand;
  const changed = await run("sync", 1, whole);
  assert.ok(all.data.length > 50 && changed.data.length < 5, last.text);
  const placed = await run("order", 0);
  assert.equal(last.status, 201, last.text);
  assert.deepEqual(await run("order", 0), placed);
  filled[100001] = placed.data.AuftNr;
  assert.equal((await run("read-back", 0)).data.GrundDaten.AuftNr, placed.data.AuftNr);
  assert.deepEqual((await run("read-back", 1)).data.map(({ AuftNr }) => AuftNr), [placed.data.AuftNr]);
  await run("hear-of-changes", 0, admin);
  assert.ok(last.status < 300, last.text);
  assert.ok((await run("hear-of-changes", 1, admin)).data.secret.startsWith("whsec_"));
  assert.equal((await run("hear-of-changes", 2, admin)).data.error, "no_connection", last.text);
});

test("nothing sticks out and axe finds nothing, in both colour schemes", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await accessible(page, colorScheme, "main > section:nth-of-type(-n+3), nav, header");
    for (const size of [PHONE, DESK]) await shot(page, `docs-${colorScheme}`, size, { fullPage: false });
  }
});

test("the page asked no other server, and the policy refused nothing", () => {
  assert.deepEqual(wrong, []);
  assert.deepEqual(asked.filter((url) => !url.startsWith(`${server.base}/`)), []);
});
