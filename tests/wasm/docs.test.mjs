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

/** Logs in with the form in the side bar. */
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
  await articles.getByText("Try it, with code samples").click();
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
  const shown = await articles.locator(".try > div pre").last().innerText();
  assert.equal(JSON.parse(shown).data.length, 2, shown);
  await articles.locator(".try > div").getByRole("button", { name: "Copy" }).first().click();
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
  await page.getByText("Log in to try requests").click();
  await logIn("shop1", password("shop1"));
  await page.getByText("Logged in as shop1 until ").waitFor();
  await page.evaluate((base) => {
    const { token } = JSON.parse(sessionStorage.getItem("erp-docs-login"));
    return fetch(`${base}/www/token/revoke`, { method: "POST", headers: { authorization: `Bearer ${token}` } });
  }, server.base);
  const articles = operation("get", "/www/artikel");
  await articles.getByText("Try it, with code samples").click();
  await articles.getByRole("button", { name: "Send" }).click();
  await page.getByText("The login has ended.").waitFor();
  assert.ok(await articles.getByRole("link", { name: "Log in first" }).isVisible());
  assert.match(wrong.splice(0).join(), /401/);
});

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
  await order.getByText("Try it, with code samples").click();
  const name = "O'Neil \\ \"\"\" ${x} `y`";
  const body = { GrundDaten: { KundNr: "10001", AuftBez: name }, Positionen: [{ ArtNr: "BU-1004", Menge: 1 }] };
  await order.locator("textarea").fill(JSON.stringify(body, null, 2));
  const login = { method: "POST", headers: { authorization: `Basic ${btoa(`shop1:${password("shop1")}`)}` } };
  const { access_token: token } = await (await fetch(`${server.base}/www/token`, login)).json();
  for (const [language, run] of Object.entries(programs)) {
    if (!runs({ curl: "curl", JavaScript: "node", Python: "python3", PHP: "php" }[language])) continue;
    await order.getByLabel("Code sample").selectOption(language);
    const code = await order.locator(".sample").innerText();
    assert.ok(!code.includes(token), language);
    const printed = run(code, token).toString();
    assert.match(printed, /201/, `${language}: ${printed}`);
    const placed = JSON.parse(printed.slice(printed.indexOf("{"), printed.lastIndexOf("}") + 1));
    const read = await fetch(`${server.base}/www/auftrag/${placed.data.AuftNr}`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal((await read.json()).data.GrundDaten.AuftBez, name, language);
  }
});

test("nothing sticks out and axe finds nothing, in both colour schemes", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await accessible(page, colorScheme, "main > section:nth-of-type(-n+3), nav");
    for (const size of [PHONE, DESK]) await shot(page, `docs-${colorScheme}`, size, { fullPage: false });
  }
});

test("the page asked no other server, and the policy refused nothing", () => {
  assert.deepEqual(wrong, []);
  assert.deepEqual(asked.filter((url) => !url.startsWith(`${server.base}/`)), []);
});
