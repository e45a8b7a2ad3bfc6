import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PROBE = readFileSync(new URL("page-probe.mjs", import.meta.url), "utf8");

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
  await context.addInitScript({ content: `${AXE};\n${PROBE}` });
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
