/**
 * What some tests need of the machine. Where it is missing they are skipped: aloud, and counted as skipped by jest.
 * In CI (`CI=true`) a missing program is a failure, as CI installs them all. Root is different: CI runs the tests as an
 * ordinary user, and those marked `[root]` apart, by `npm run test:root`.
 */
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "@jest/globals";
import { findBrowser } from "./browser.ts";
import { findCommand } from "./commands.ts";

/** The rights of root, the right to mount (root again), an ordinary user, Linux, a browser, or else the name of a program on PATH. */
export type Need = "root" | "mount" | "ordinary user" | "linux" | "browser" | (string & {});

const found = new Map<string, string | null>();

/** Why this machine does not have it; null if it does. */
export function lacks(need: Need): string | null {
  if (!found.has(need)) found.set(need, lookFor(need));
  return found.get(need)!;
}

/** The first reason why tests with these needs cannot run here, written to stderr too; null if they can. */
export function reasonToSkip(what: string, ...needs: readonly Need[]): string | null {
  const reason = needs.map(lacks).find((it) => it !== null) ?? null;
  if (reason !== null) process.stderr.write(`\nSKIPPED: ${what}: ${reason}\n\n`);
  return reason;
}

/** `it`, for a test that needs something of the machine. */
export function itNeeds(needs: Need | readonly Need[], name: string, test: () => Promise<void> | void, timeoutMs?: number): void {
  const [all, marked] = [[needs].flat(), mark(needs, name)];
  const reason = reasonToSkip(marked, ...all);
  if (reason === null) it(marked, test, timeoutMs);
  else if (mustHave(all)) it(marked, () => expect(reason).toBeNull());
  else it.skip(marked, test, timeoutMs);
}

/** `describe`, for tests that need something of the machine. Where that is missing, their set-up does not run either. */
export function describeNeeds(needs: Need | readonly Need[], name: string, tests: () => void): void {
  const [all, marked] = [[needs].flat(), mark(needs, name)];
  const reason = reasonToSkip(marked, ...all);
  if (reason === null) describe(marked, tests);
  else if (mustHave(all)) describe(marked, () => it("has what it needs", () => expect(reason).toBeNull()));
  else describe.skip(marked, tests);
}

const ofUser: readonly Need[] = ["root", "mount", "ordinary user"];

/** The mark by which `npm run test:root` finds its tests. */
function mark(needs: Need | readonly Need[], name: string): string {
  return [needs].flat().some((need) => need === "root" || need === "mount") ? `[root] ${name}` : name;
}

/** In CI only the rights of a user may be missing: it runs the tests as both. */
function mustHave(needs: readonly Need[]): boolean {
  return process.env["CI"] === "true" && needs.some((need) => !ofUser.includes(need) && lacks(need) !== null);
}

function lookFor(need: Need): string | null {
  if (need === "linux") return process.platform === "linux" ? null : "it needs Linux";
  if (need === "browser") return findBrowser() === null ? "it needs chromium or chrome, which is not on PATH" : null;
  if (need === "ordinary user") return process.getuid?.() === 0 ? "root may write everywhere" : null;
  if (need === "root") return process.getuid?.() === 0 ? null : "it needs root; npm run test:root runs it";
  if (need === "mount") {
    const tried = spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { encoding: "utf8" });
    return tried.status === 0 ? null : "it needs the right to mount; npm run test:root runs it";
  }
  return findCommand(need) === null ? `it needs ${need}, which is not on PATH` : null;
}
