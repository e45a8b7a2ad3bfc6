import type { Browser, Page } from "playwright-core";
import { findCommand } from "./commands.ts";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** The path of the browser of this machine, or null. */
export function findBrowser(): string | null {
  return ["chromium", "chromium-browser", "google-chrome"].map(findCommand).find((it) => it !== null) ?? null;
}

/** Starts the installed browser without a window. For tests that need `browser`. */
export async function launchBrowser(): Promise<Browser & AsyncDisposable> {
  // Loaded only by the tests that have a browser: all others that import `needs.ts` import this file, too.
  const { chromium } = await import("playwright-core");
  // As root, the browser can't use its sandbox.
  return chromium.launch({
    executablePath: findBrowser()!,
    args: ["--no-sandbox", "--autoplay-policy=no-user-gesture-required"],
  });
}

const readAxe = () => readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const readProbe = () => readFileSync(new URL("page-probe.mjs", import.meta.url), "utf8");

export type Viewport = { readonly width: number; readonly dark?: boolean };

/** A browser window, with a record of its requests and errors. */
export type BrowserPage = {
  readonly page: Page;
  readonly requests: readonly string[];
  readonly errors: readonly string[];
  /** Loads a page again. */
  open(url: string): Promise<void>;
  /** Evaluates an expression that uses page-probe.mjs. */
  ask<T>(expression: string): Promise<T>;
};

export async function openPage(browser: Browser, { width, dark = false }: Viewport): Promise<BrowserPage> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: dark ? "dark" : "light" });
  await context.addInitScript({ content: `${readAxe()};\n${readProbe()}` });
  // A browser is slow when it shares two cores with other tests.
  context.setDefaultTimeout(180_000);
  const page = await context.newPage();
  const requests: string[] = [];
  const errors: string[] = [];
  page.on("request", (request) => void requests.push(request.url()));
  page.on("pageerror", (error) => void errors.push(error.message));
  page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())));
  return {
    page,
    requests,
    errors,
    async open(url) {
      // Otherwise a different anchor in the same page would not load the page again.
      await page.goto("about:blank");
      await page.goto(url, { waitUntil: "load" });
    },
    ask: (expression) => page.evaluate(expression),
  };
}
