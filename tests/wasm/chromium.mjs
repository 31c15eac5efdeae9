// Debian's Chromium, or the one in CHROMIUM, without its requests to the internet.

import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

import { PATIENCE } from "./demo.mjs";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A browser; `context` has settings of Playwright, for example `timezoneId`. */
export async function browser(context = {}) {
  const profile = mkdtempSync(join(tmpdir(), "erp-chromium-"));
  const opened = await chromium.launchPersistentContext(profile, {
    ...context,
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: FLAGS,
  });
  opened.setDefaultTimeout(PATIENCE);
  const close = async () => {
    await opened.close();
    await rm(profile, { recursive: true, force: true });
  };
  return { context: opened, close };
}

/** A page whose errors and refused loads are collected. */
export async function watchedPage(context) {
  const page = await context.newPage();
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") wrong.push(message.text());
  });
  page.on("requestfailed", (request) => {
    // A page that is left ends its requests.
    if (request.failure()?.errorText !== "net::ERR_ABORTED") wrong.push(`failed: ${request.url()}`);
  });
  return { page, wrong };
}
