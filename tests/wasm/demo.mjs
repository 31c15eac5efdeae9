// The demo server with the shop page, in a temporary folder.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { root, target } from "./paths.mjs";

/** Milliseconds that a test waits for anything: a busy machine is slow, and no test is about time. */
export const PATIENCE = 300_000;

/** Builds the server; the path of its program. */
export function builtServer() {
  execFileSync("cargo", ["build", "--locked", "--quiet", "--profile", "test", "-p", "erp-server"], { cwd: fileURLToPath(root), stdio: "pipe" });
  return fileURLToPath(new URL("debug/erp-server", target));
}

/**
 * Starts it with the files of a page: of the shop as it is built or, with `built` false, as a fresh checkout has it.
 * `orders` is the number of orders of the past weeks.
 */
export async function demo({ built = true, files = new URL("examples/shop/", root), orders = 0 } = {}) {
  const binary = builtServer();
  const folder = mkdtempSync(join(tmpdir(), "erp-demo-"));
  const page = join(folder, "page");
  const filter = (path) => built || !path.endsWith("/erp-wasm");
  cpSync(fileURLToPath(files), page, { recursive: true, filter });
  const credentials = join(folder, "users.json");
  const server = spawn(
    binary,
    ["demo", "--listen", "127.0.0.1:0", "--data-dir", join(folder, "data"), "--page-dir", page]
      .concat(["--credentials", credentials, "--orders", String(orders), "--rate-limits", "false"]),
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const ended = new Promise((resolve) => server.once("exit", resolve));
  const close = async () => {
    server.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const base = await listening(server);
    const users = JSON.parse(readFileSync(credentials, "utf8"));
    const password = (name) => users.find((user) => user.name === name).password;
    return { base, password, folder, binary, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The URL of a server, as soon as it listens. */
export function listening(server) {
  return new Promise((resolve, reject) => {
    let printed = "";
    const late = setTimeout(() => reject(new Error(`no server: ${printed}`)), PATIENCE);
    server.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${printed}`)));
    server.stdout.on("data", (piece) => {
      printed += piece;
      const [, base] = /^listening on (\S+)/m.exec(printed) ?? [];
      if (base === undefined) return;
      clearTimeout(late);
      resolve(base);
    });
  });
}
