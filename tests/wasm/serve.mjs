// Serves folders to a browser, on a free port of loopback, with a strict content security policy.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
};

const POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data:; object-src 'none'";

/** `folders` maps the first part of a path to a folder; `/` is the first one. */
export async function serve(folders, policy = POLICY) {
  const asked = [];
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    asked.push(path);
    const name = Object.keys(folders).find((name) => path.startsWith(name));
    try {
      const file = new URL(path.slice(name.length) || "index.html", folders[name]);
      if (!file.href.startsWith(folders[name].href)) throw new Error("outside");
      const body = await readFile(file);
      const type = TYPES[extname(file.pathname)] ?? "application/octet-stream";
      response.writeHead(200, { "content-type": type, "content-security-policy": policy });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  return { base, asked, close: () => server.close() };
}
