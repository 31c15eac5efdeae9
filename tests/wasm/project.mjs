// A clean project that installed the packed tarball, with the tools of this folder.

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { target } from "./paths.mjs";

/** `folders` maps the folders to copy to their targets. */
export function project(folders) {
  const folder = mkdtempSync(join(tmpdir(), "erp-project-"));
  const run = (command, ...args) => execFileSync(command, args, { cwd: folder, encoding: "utf8", stdio: "pipe" });
  const own = fileURLToPath(new URL("./", import.meta.url));
  for (const [from, to] of Object.entries({ "package.json": "package.json", "package-lock.json": "package-lock.json", ...folders })) {
    cpSync(join(own, from), join(folder, to), { recursive: true });
  }
  run("npm", "ci", "--no-audit", "--no-fund", "--prefer-offline");
  run("npm", "install", "--no-save", "--no-audit", "--no-fund", fileURLToPath(new URL("erp-wasm.tgz", target)));
  return { folder, run, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
