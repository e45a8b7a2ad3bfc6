import { chromium, type Browser } from "playwright-core";
import { findCommand } from "./commands.ts";

/** The path of the browser of this machine, or null. */
export function findBrowser(): string | null {
  return ["chromium", "chromium-browser", "google-chrome"].map(findCommand).find((it) => it !== null) ?? null;
}

/** Starts the installed browser without a window. For tests that need `browser`. */
export function launchBrowser(): Promise<Browser & AsyncDisposable> {
  // As root, the browser can't use its sandbox.
  return chromium.launch({
    executablePath: findBrowser()!,
    args: ["--no-sandbox", "--autoplay-policy=no-user-gesture-required"],
  });
}
