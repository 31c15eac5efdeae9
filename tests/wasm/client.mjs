// The typed client of the package in node, against the real server; a proxy between them loses responses.

import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { test } from "node:test";

import { Client, ServerError, newKey } from "../../erp-wasm/dist/client.js";

const ORDER = { GrundDaten: { KundNr: "10003" }, Positionen: [{ ArtNr: "BU-1002", Menge: 2 }] };

/** A proxy. Each entry of `faults` affects one request: `lose` forwards it and drops the response, `cut` all but the start
 * of its body, a function responds itself, a promise holds the request until it is kept. `change` may change a response's body. */
async function proxy(target) {
  const faults = [];
  const seen = [];
  const state = { faults, seen, change: (body) => body };
  const server = createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    seen.push({ method: incoming.method, path: incoming.url, headers: incoming.headers });
    const fault = faults.shift();
    if (typeof fault === "function") return fault(outgoing);
    if (fault instanceof Promise) await fault;
    const onward = request(target + incoming.url, { method: incoming.method, headers: incoming.headers }, async (response) => {
      const parts = [];
      for await (const part of response) parts.push(part);
      if (fault === "lose") return outgoing.destroy();
      const { "content-length": _, ...headers } = response.headers;
      outgoing.writeHead(response.statusCode, headers);
      const body = state.change(Buffer.concat(parts));
      if (fault === "cut") return outgoing.write(body.subarray(0, 5), () => outgoing.destroy());
      return outgoing.end(body);
    });
    return onward.end(Buffer.concat(chunks));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => (server.closeAllConnections(), server.close());
  return { faults, seen, state, base: `http://127.0.0.1:${server.address().port}`, close };
}

const refusal = (status, headers = {}, body = "{}") => (outgoing) => outgoing.writeHead(status, headers).end(body);

async function refused(promise, status, code) {
  const error = await promise.then(() => assert.fail("nothing was refused"), (error) => error);
  assert.ok(error instanceof ServerError, String(error));
  assert.deepEqual([error.status, error.code], [status, code], error.message);
  return error;
}

/** The tests; `server` returns the demo server. */
export function testClient(server) {
  const user = () => ({ user: "shop1", password: server().password("shop1") });
  const over = async (run) => {
    const between = await proxy(server().base);
    try {
      await run(between, await Client.login(between.base, user()));
    } finally {
      between.close();
    }
  };

  test("client: articles page by page, as an iterator", async () => {
    const client = await Client.login(server().base, user());
    const pages = [];
    for await (const page of client.articlePages({ limit: 30, fields: "ArtNr" })) pages.push(page);
    assert.deepEqual(pages.map(({ count, data }) => [count, data.length]), [[71, 30], [71, 30], [71, 11]]);
    const first = [];
    for await (const { ArtNr } of client.listArticles({ limit: 5, sorts: "-ArtNr", debinr: "10007" })) {
      first.push(ArtNr);
      if (first.length === 7) break;
    }
    assert.deepEqual(first, [...new Set(first)].toSorted().reverse());
    assert.match((await client.readArticle("LM-3001")).Deklaration[0].OrtLand, /^[A-Z]{2}$/);
    const media = (await client.listMedia("BU-1001")).find(({ AMDBildFormat }) => AMDBildFormat === "png");
    assert.equal((await client.readMedia(media.IDKey, "Bild")).type, "image/png");
    await client.logout();
    assert.equal(client.session, undefined);
    await refused(client.readCustomer("10003"), 401, "invalid_token");
  });

  test("client: an order is found again by the number that the shop gave it", async () => {
    const client = await Client.login(server().base, user());
    const AuftBestellNr = newKey();
    const { AuftNr } = await client.createOrder({ ...ORDER, GrundDaten: { ...ORDER.GrundDaten, AuftBestellNr } });
    const found = [];
    for await (const one of client.listOwnOrders({ AuftBestellNr })) found.push(one);
    assert.deepEqual(found.map((one) => [one.AuftNr, one.AuftStatus, one.KundNr]), [[AuftNr, "N", "10003"]]);
    let count = 0;
    for await (const { KundNr } of client.listOwnOrders({ debinr: "10003", limit: 1 })) {
      assert.equal(KundNr, "10003");
      count += 1;
    }
    assert.ok(count >= 1);
  });

  test("client: the offers of a customer are listed, the newest first", async () => {
    const client = await Client.login(server().base, user());
    const body = { GrundDaten: { KundNr: "10003" }, Positionen: ORDER.Positionen };
    const made = [];
    for (let at = 0; at < 3; at += 1) made.unshift((await client.createOffer(body)).data);
    const found = [];
    for await (const one of client.listOwnOffers({ debinr: "10003", status: "P", limit: 2 })) found.push(one);
    const sums = ({ OffertNr, GrundDaten }) => [OffertNr, GrundDaten.KundNr, GrundDaten.AuftBrutto];
    const listed = found.slice(0, 3).map(({ OffertNr, KundNr, AuftBrutto }) => [OffertNr, KundNr, AuftBrutto]);
    assert.deepEqual(listed, made.map(sums));
  });

  test("client: only what has changed of the articles", async () => {
    const client = await Client.login(server().base, user());
    const known = [];
    let stand;
    for await (const page of client.articleChanges(undefined, { limit: 30, fields: "ArtNr" })) {
      assert.deepEqual(page.entfernt, []);
      known.push(...page.data);
      stand = page.stand;
    }
    assert.equal(known.length, 71);
    await client.createOrder(ORDER);
    for await (const { data, entfernt } of client.articleChanges(stand, { fields: "ArtNr" })) {
      assert.ok(data.some(({ ArtNr }) => ArtNr === ORDER.Positionen[0].ArtNr));
      assert.deepEqual(entfernt, []);
    }
    await refused(client.articleChanges(stand, { debinr: "10007" }).next(), 410, "stand_expired");
  });

  test("client: a change whose response is lost is made once", () =>
    over(async (between, client) => {
      between.faults.push("lose", "cut");
      const before = (await client.readCustomer("10003", { order: 50 }).catch(assert.fail)).data.Auftrag?.length ?? 0;
      between.faults.push("cut", refusal(503, { "retry-after": "0" }), refusal(429));
      const { AuftNr } = await client.createOrder(ORDER);
      const sent = between.seen.filter(({ method, path }) => method === "POST" && path === "/www/auftrag");
      assert.equal(sent.length, 4);
      assert.equal(new Set(sent.map(({ headers }) => headers["idempotency-key"])).size, 1);
      const { data } = await client.readCustomer("10003", { order: 50 });
      assert.deepEqual([data.Auftrag.length, data.Auftrag[0].AuftNr], [before + 1, AuftNr]);
      const { data: offer, etag } = await client.createOffer(ORDER);
      between.faults.push("cut");
      const more = { Positionen: [{ PosNr: offer.Positionen[0].PosNr, Menge: 4 }] };
      const changed = await client.changeOffer(offer.OffertNr, more, { ifMatch: etag });
      assert.equal(changed.data.Positionen[0].PosAnzBest, 4);
      const key = newKey();
      const twice = await Promise.all([client.createOrder(ORDER, { key }), client.createOrder(ORDER, { key })]);
      assert.equal(twice[0].AuftNr, twice[1].AuftNr);
    }));

  test("client: tries have an end, and what is not safe is not sent again", () =>
    over(async (between) => {
      between.faults.push("cut");
      const client = await Client.login(between.base, user(), { tries: 2, longestWait: 2 });
      between.faults.push("lose", "cut");
      await refused(client.readCustomer("10003"), 0, "network");
      between.faults.push("cut");
      await refused(client.send("POST", "/www/auftrag", { body: ORDER }), 0, "network");
      between.faults.push(refusal(200, {}, "<p>Log in to the network"), refusal(200, {}, "<p>"));
      await refused(client.readCustomer("10003"), 200, "http");
      await refused(Client.login(between.base, user()), 200, "http");
      between.faults.push(refusal(503, { "retry-after": "60" }));
      await refused(client.readCustomer("10003"), 503, "http");
      between.faults.push("lose");
      await refused(client.send("POST", "/www/auftrag", { body: ORDER }), 0, "network");
      between.faults.push(refusal(503));
      await refused(client.send("POST", "/www/auftrag", { body: ORDER }), 503, "http");
      between.faults.push(refusal(503, {}, '{"error":"unavailable","info":{"outcome":"unknown"}}'));
      await refused(client.send("POST", "/www/auftrag", { body: ORDER }), 503, "unavailable");
      assert.deepEqual(between.faults, []);
      const stop = AbortSignal.abort();
      await assert.rejects(client.readCustomer("10003", {}, { signal: stop }), { name: "AbortError" });
    }));

  test("client: the token is renewed before its end and after it", () =>
    over(async (between) => {
      between.state.change = (body) => String(body).replace(/"expires_in":\d+/, '"expires_in":1');
      const kept = [];
      const client = await Client.login(between.base, user(), { onSession: (session) => kept.push(session?.token) });
      await new Promise((resolve) => setTimeout(resolve, 600));
      await Promise.all([client.readCustomer("10003"), client.readCustomer("10004")]);
      assert.equal(new Set(kept).size, 2);
      const other = Client.resume(server().base, client.session);
      await other.logout();
      await client.readCustomer("10003");
      assert.equal(new Set(kept).size, 3);
      const ended = [];
      const resumed = Client.resume(server().base, { token: "over", ends: 0 }, { onSession: (session) => ended.push(session) });
      await refused(resumed.readCustomer("10003"), 401, "invalid_token");
      assert.deepEqual(ended, [undefined]);
      await refused(Client.login(server().base, { user: "shop1", password: "wröng" }), 401, "invalid_client");
    }));

  test("client: an early renewal that fails or lasts stops no request, unless the login has ended", () =>
    over(async (between) => {
      const client = await Client.login(between.base, user(), { tries: 1 });
      const { now } = Date;
      const { ends, token } = client.session;
      const renewals = () => between.seen.filter(({ path }) => path === "/www/token").length;
      Date.now = () => ends - 30_000;
      try {
        const before = renewals();
        between.faults.push(refusal(503));
        await client.readCustomer("10003");
        assert.deepEqual([client.session.token, renewals()], [token, before + 1]);
        let release;
        between.faults.push(new Promise((resolve) => (release = resolve)));
        const stop = new AbortController();
        const stopped = assert.rejects(client.readCustomer("10003", {}, { signal: stop.signal }), { name: "AbortError" });
        while (renewals() === before + 1) await new Promise((resolve) => setTimeout(resolve, 5));
        stop.abort();
        await stopped;
        release();
        await client.readCustomer("10003");
        assert.notEqual(client.session.token, token);
        assert.equal(renewals(), before + 2);
        const { ends: end } = client.session;
        Date.now = () => end;
        between.faults.push(refusal(503));
        await refused(client.readCustomer("10003"), 503, "http");
        Date.now = () => end - 30_000;
        between.faults.push(refusal(401));
        await refused(client.readCustomer("10003"), 401, "http");
        assert.equal(client.session, undefined);
      } finally {
        Date.now = now;
      }
    }));

  test("client: tokens of one customer come from a back end, which is asked again in time", () =>
    over(async (between) => {
      const { user: name, password } = user();
      const headers = { authorization: `Basic ${btoa(`${name}:${password}`)}` };
      const faults = [];
      const kept = [];
      let asked = 0;
      const token = () => {
        asked += 1;
        return faults.shift()?.() ?? fetch(`${between.base}/www/token?debinr=10007`, { method: "POST", headers });
      };
      const short = (body) => String(body).replace(/"expires_in":\d+/, '"expires_in":4');
      // Others are compressed.
      between.state.change = (body) => (body.includes("expires_in") ? short(body) : body);
      faults.push(() => Promise.reject(new TypeError("the back end is away")), async () => new Response("", { status: 503, headers: { "retry-after": "0" } }));
      const client = await Client.login(between.base, token, { onSession: (session) => kept.push(session) });
      assert.deepEqual([asked, client.session.customer], [3, "10007"]);
      await refused(client.readCustomer("10001"), 404, "not_found");
      const { AuftNr } = await client.createOrder({ Positionen: ORDER.Positionen });
      assert.equal((await client.readOrder(AuftNr)).data.GrundDaten.KundNr, "10007");
      await new Promise((resolve) => setTimeout(resolve, 2_100));
      await Promise.all([client.readCustomer("10007"), client.readArticle("BU-1001")]);
      assert.equal(asked, 4, "requests share a new token");
      // The customer has logged out at the back end.
      faults.push(() => Promise.resolve(new Response("{}", { status: 401 })));
      await Client.resume(between.base, client.session).logout();
      await refused(client.readCustomer("10007"), 401, "http");
      assert.deepEqual([client.session, kept.at(-1), asked], [undefined, undefined, 5]);
    }));

  test("client: a logout during a renewal leaves no login", () =>
    over(async (between) => {
      between.state.change = (body) => String(body).replace(/"expires_in":\d+/, '"expires_in":1');
      const kept = [];
      const client = await Client.login(between.base, user(), { onSession: (session) => kept.push(session?.token) });
      await new Promise((resolve) => setTimeout(resolve, 600));
      const requests = (wanted) => between.seen.filter(({ path }) => path === wanted).length;
      const before = requests("/www/token");
      let release;
      between.faults.push(new Promise((resolve) => (release = resolve)));
      const reading = refused(client.readCustomer("10003"), 401, "invalid_token");
      while (requests("/www/token") === before) await new Promise((resolve) => setTimeout(resolve, 5));
      await client.logout();
      release();
      await reading;
      assert.deepEqual([client.session, kept.length, kept.at(-1)], [undefined, 2, undefined]);
      assert.equal(requests("/www/token/revoke"), 2);
    }));

  test("client: problems name their paths, and a record that changed is not overwritten", async () => {
    const client = await Client.login(`${server().base}/`, user());
    const error = await refused(client.createOrder({ GrundDaten: { KundNr: "10003" }, Positionen: [{ Menge: 1 }] }), 422, "invalid");
    assert.deepEqual(error.problems.map(({ path, code }) => [path, code]), [["Positionen[0].ArtNr", "required"]]);
    const { data: offer, etag } = await client.createOffer({ ...ORDER, GrundDaten: { KundNr: "10003" } });
    const more = { Positionen: [{ PosNr: offer.Positionen[0].PosNr, Menge: 5 }] };
    const changed = await client.changeOffer(offer.OffertNr, more, { ifMatch: etag });
    assert.notEqual(changed.etag, etag);
    await refused(client.changeOffer(offer.OffertNr, more, { ifMatch: etag }), 412, "precondition_failed");
    const GrundDaten = { KundNr: "10003", OffertNr: offer.OffertNr };
    const { AuftNr } = await client.convertOffer({ GrundDaten }, { ifMatch: changed.etag });
    assert.equal((await client.readOrder(AuftNr)).data.Positionen[0].PosAnzBest, 5);
    const { KontaktAdr } = (await client.readOrder(AuftNr)).data.Adressen;
    const found = await client.findCustomer({ EmailAdress: "einkauf@elektroblitz.example.ch" });
    const { data: address, etag: read } = await client.readAddress(found.KundKontakt);
    await client.changeAddress(address.AdrNr ?? found.KundKontakt, { AdrFirma2: "Einkauf" }, { ifMatch: read });
    await refused(client.changeAddress(found.KundKontakt, { AdrFirma2: "" }, { ifMatch: read }), 412, "precondition_failed");
    assert.ok(KontaktAdr && (await client.listAddresses("10003")).KundKontakt.length > 0);
  });
}
