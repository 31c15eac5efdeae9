// A receiver of events: SECRET=whsec_... node receiver.mjs PORT

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const key = Buffer.from(process.env.SECRET.replace("whsec_", ""), "base64");
/** An event has at most 1,000 numbers; larger requests do not come from the server. */
const MOST_BYTES = 262_144;
/** Whoever recorded a request could send it again later. */
const MOST_SECONDS = 300;
/** A real receiver keeps these ids in its database, together with its own changes. */
const handled = new Set();

function isSigned(headers, body) {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures = "" } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= MOST_SECONDS)) return false;
  const wanted = createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest();
  return signatures.split(" ").some((signature) => {
    const given = Buffer.from(signature.replace("v1,", ""), "base64");
    return signature.startsWith("v1,") && given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

function receive({ headers }, body) {
  if (!isSigned(headers, body)) return 401;
  const id = headers["webhook-id"];
  if (handled.has(id)) return 204;
  const { type, data } = JSON.parse(body);
  console.log(type, data.method, data.AuftNr ?? data.DebiNr ?? "");
  handled.add(id);
  return 204;
}

const server = createServer(async (request, response) => {
  try {
    const chunks = [];
    let length = 0;
    for await (const chunk of request) {
      length += chunk.length;
      if (length > MOST_BYTES) return response.writeHead(413, { connection: "close" }).end();
      chunks.push(chunk);
    }
    response.writeHead(receive(request, Buffer.concat(chunks))).end();
  } catch {
    // A body that ends early, or is no event.
    if (!response.headersSent) response.writeHead(400).end();
  }
});
server.listen(Number(process.argv[2]), "127.0.0.1", () => console.log(`listening on port ${server.address().port}`));
