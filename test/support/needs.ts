/**
 * What some tests need from the machine. If it is missing, the test is skipped: it prints why, and jest counts it as
 * skipped. In CI (`CI=true`), a missing program is a failure, because CI installs them all. A missing right is not,
 * because CI runs the tests as an ordinary user, and those marked `[root]` separately with `npm run test:root`. Nor is the code
 * of the previous release, which a shallow clone lacks if its origin doesn't send it.
 */
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "@jest/globals";
import { findEngine } from "../../src/media/engine.ts";
import { findBrowser } from "./browser.ts";
import { missingCitus } from "./citus.ts";
import { findCommand, findPostgresql } from "./commands.ts";
import { missingCode, previousRelease } from "./previous-release.ts";

/**
 * A right: the rights of root, the right to mount (also root) or to make a network namespace, or an ordinary user. Or something
 * installed: Linux, a browser, the code of the previous release, the programs of a PostgreSQL server, one that can load Citus. Or
 * native ffmpeg with all that the service uses, or the name of a program on PATH.
 */
export type Need =
  | "root"
  | "mount"
  | "network namespace"
  | "ordinary user"
  | "linux"
  | "browser"
  | "previous release"
  | "one server"
  | "postgresql"
  | "citus"
  | "native engine"
  | (string & {});

const found = new Map<string, string | null>();

/** Why this machine lacks it; null if it doesn't. */
export function lacks(need: Need): string | null {
  if (!found.has(need)) found.set(need, probe(need));
  return found.get(need)!;
}

/** The first reason why tests with these needs can't run here, which is also printed; null if they can. */
export function reasonToSkip(what: string, ...needs: readonly Need[]): string | null {
  const reason = needs.map(lacks).find((it) => it !== null) ?? null;
  if (reason !== null) process.stderr.write(`\nSKIPPED: ${what}: ${reason}\n\n`);
  return reason;
}

/** `it`, for a test that needs something from the machine. */
export function itNeeds(needs: Need | readonly Need[], name: string, test: () => Promise<void> | void, timeoutMs?: number): void {
  const [all, marked] = [[needs].flat(), mark(needs, name)];
  const reason = reasonToSkip(marked, ...all);
  if (reason === null) it(marked, test, timeoutMs);
  else if (mustHave(all)) it(marked, () => expect(reason).toBeNull());
  else it.skip(marked, test, timeoutMs);
}

/** `describe`, for tests that need something from the machine. If it is missing, their set-up doesn't run either. */
export function describeNeeds(needs: Need | readonly Need[], name: string, tests: () => void): void {
  const [all, marked] = [[needs].flat(), mark(needs, name)];
  const reason = reasonToSkip(marked, ...all);
  if (reason === null) describe(marked, tests);
  else if (mustHave(all)) describe(marked, () => it("has what it needs", () => expect(reason).toBeNull()));
  else describe.skip(marked, tests);
}

/** What CI can't install. */
const NOT_INSTALLABLE: readonly Need[] = [
  "root",
  "mount",
  "network namespace",
  "ordinary user",
  "previous release",
  "one server",
  "citus",
];

/** The mark by which `npm run test:root` finds its tests. */
function mark(needs: Need | readonly Need[], name: string): string {
  return [needs].flat().some((need) => need === "root" || need === "mount") ? `[root] ${name}` : name;
}

/** In CI, only what it can't install can be missing. It runs the tests as both users. */
function mustHave(needs: readonly Need[]): boolean {
  return process.env["CI"] === "true" && needs.some((need) => !NOT_INSTALLABLE.includes(need) && lacks(need) !== null);
}

function missingEngine(): string | null {
  try {
    findEngine({ mode: "native" });
    return null;
  } catch (error) {
    return `needs the native engine: ${(error as Error).message}`;
  }
}

function probe(need: Need): string | null {
  if (need === "one server")
    return process.env["TEST_CITUS"] === "on" ? "needs one PostgreSQL server, and the database is on three nodes" : null;
  if (need === "linux") return process.platform === "linux" ? null : "needs Linux";
  if (need === "browser")
    return findBrowser() === null ? "needs a browser, and neither chromium nor google-chrome is on PATH" : null;
  if (need === "ordinary user")
    return process.getuid?.() === 0 ? "needs an ordinary user, because root can write everywhere" : null;
  if (need === "root") return process.getuid?.() === 0 ? null : "needs root; run npm run test:root as root";
  if (need === "mount") {
    const tried = spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { encoding: "utf8" });
    return tried.status === 0 ? null : "needs the right to mount; run npm run test:root as root";
  }
  if (need === "network namespace") {
    const asItself = process.getuid?.() === 0 ? [] : ["--map-current-user"];
    const tried = spawnSync("unshare", [...asItself, "--net", "--", "true"]);
    return tried.status === 0 ? null : "needs the right to make a network namespace (unshare --net)";
  }
  if (need === "native engine") return missingEngine();
  if (need === "postgresql")
    return findPostgresql() === null ? "needs the programs of a PostgreSQL server, such as initdb" : null;
  if (need === "citus") return missingCitus();
  if (need === "previous release") return missingCode(previousRelease());
  return findCommand(need) === null ? `needs ${need}, which is not on PATH` : null;
}
