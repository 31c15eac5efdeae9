// The back end of a shop: it keeps the shop's password, and gets its page a token of the customer who is logged in.
// ERP=https://erp.example.ch SHOP=shop1:PASSWORD CUSTOMERS='{"10007": "PASSWORD"}' node back-end.mjs PORT

import { createHash, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { ERP, SHOP, CUSTOMERS } = process.env;
/** A real shop keeps hashes of passwords, limits attempts, and knows later requests of a customer by a session cookie. */
const passwords = new Map(Object.entries(JSON.parse(CUSTOMERS)));
const headers = { authorization: `Basic ${Buffer.from(SHOP).toString("base64")}` };
const hash = (text) => createHash("sha256").update(String(text)).digest();

/** The number of the customer who is logged in: never what a page says without a proof. */
function loggedIn({ customer, password }) {
  const isRight = timingSafeEqual(hash(password), hash(passwords.get(customer)));
  return passwords.has(customer) && isRight ? customer : undefined;
}

async function answer(request) {
  if (request.method !== "POST" || request.url !== "/shop/token") return [404];
  let text = "";
  for await (const chunk of request) if ((text += chunk).length > 4096) return [413];
  const number = loggedIn(JSON.parse(text));
  if (number === undefined) return [401];
  const response = await fetch(`${ERP}/www/token?debinr=${encodeURIComponent(number)}`, { method: "POST", headers });
  // What is wrong between back end and server is not the customer's fault.
  return response.ok ? [200, await response.json()] : [503];
}

const server = createServer(async (request, response) => {
  const [status, body = {}] = await answer(request).catch((error) => [error instanceof SyntaxError ? 400 : 503]);
  const type = { "content-type": "application/json", "cache-control": "no-store" };
  response.writeHead(status, type).end(JSON.stringify(body));
});
server.listen(Number(process.argv[2]), "127.0.0.1", () => console.log(`listening on port ${server.address().port}`));
