import { chromium, type Browser } from "playwright-core";
import { findCommand } from "./commands.ts";

/** Where the browser of this machine is, or null. */
export function findBrowser(): string | null {
  return ["chromium", "chromium-browser", "google-chrome"].map(findCommand).find((it) => it !== null) ?? null;
}

/** The browser that is installed on this machine, without a window; for tests that need `browser`. */
export function launchBrowser(): Promise<Browser & AsyncDisposable> {
  // It refuses to confine itself when root starts it.
  return chromium.launch({
    executablePath: findBrowser()!,
    args: ["--no-sandbox", "--autoplay-policy=no-user-gesture-required"],
  });
}
