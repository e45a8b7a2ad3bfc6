import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium, type Browser } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** The browser that is installed on this machine, without a window; null, and a loud line, where there is none. */
export async function launchBrowser(): Promise<(Browser & AsyncDisposable) | null> {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const executablePath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
  if (executablePath === undefined) {
    process.stderr.write(`\nSKIPPED: no browser on PATH (${NAMES.join(", ")})\n\n`);
    return null;
  }
  // It refuses to confine itself when root starts it.
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--autoplay-policy=no-user-gesture-required"] });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
