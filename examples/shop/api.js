// The server's interface as a shop uses it.

const LIST_FIELDS = "ArtNr,ArtBez,ArtGruppe,Einheit,WUSTSatz,WaehrAbk,HatVPE,Preis,Verpackungen";
const AT_ONCE = 200;
const TRIES = 3;

/** An error the server told, or `status` 0 when it told nothing. */
export class ServerError extends Error {
  constructor(status, description, problems = []) {
    super(description);
    this.status = status;
    this.problems = problems;
  }
}

const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

async function ask(path, options) {
  try {
    // Without credentials of the browser's own, which would open its window for a wrong password.
    return await fetch(path, { cache: "no-store", credentials: "omit", ...options });
  } catch {
    throw new ServerError(0, "no answer");
  }
}

async function refusal(answer) {
  const body = await answer.json().catch(() => ({}));
  return new ServerError(answer.status, body.error_description ?? "", body.info?.problems);
}

/** Basic credentials in UTF-8. */
function basic(user, password) {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

export async function login(user, password) {
  const headers = { Authorization: basic(user, password) };
  const answer = await ask("/www/token", { method: "POST", headers });
  if (!answer.ok) throw await refusal(answer);
  const { access_token: token } = await answer.json();
  return new Api(token);
}

class Api {
  #token;

  constructor(token) {
    this.#token = token;
  }

  /** Sends a request; reads that come too fast are sent again when the server says. */
  async #send(path, { method = "GET", headers = {}, body } = {}) {
    const all = { Authorization: `Bearer ${this.#token}`, ...headers };
    for (let attempt = 1; ; attempt += 1) {
      const answer = await ask(path, { method, headers: all, body });
      if (answer.ok) return answer;
      if (answer.status !== 429 || method !== "GET" || attempt === TRIES) throw await refusal(answer);
      await wait(Number(answer.headers.get("Retry-After")) || 1);
    }
  }

  async #data(path, options) {
    const answer = await this.#send(path, options);
    return (await answer.json()).data;
  }

  customer(number) {
    return this.#data(`/www/kunden/${encodeURIComponent(number)}`);
  }

  /** All articles with the prices of a customer, page by page. */
  async *articles(number) {
    for (let offset = 0; ; offset += AT_ONCE) {
      const query = new URLSearchParams({ debinr: number, limit: AT_ONCE, offset, fields: LIST_FIELDS });
      const page = await this.#data(`/www/artikel?${query}`);
      yield page;
      if (page.length < AT_ONCE) return;
    }
  }

  /** The picture of an article, or nothing. */
  async picture(article) {
    const media = await this.#data(`/www/artikelmedia/${encodeURIComponent(article)}`);
    const shown = media.find((one) => one.AMDBildFormat);
    if (shown === undefined) return undefined;
    const answer = await this.#send(`/www/artikelmediadaten/${shown.IDKey}?type=Bild`);
    return answer.blob();
  }

  /** Places an order; the same key again never places a second one. */
  async order(body, key) {
    const headers = { "Content-Type": "application/json; charset=utf-8", "Idempotency-Key": key };
    const options = { method: "POST", headers, body: JSON.stringify(body) };
    return (await this.#data("/www/auftrag", options)).AuftNr;
  }

  readOrder(number) {
    return this.#data(`/www/auftrag/${encodeURIComponent(number)}`);
  }

  async logout() {
    await this.#send("/www/token/revoke", { method: "POST" });
  }
}
