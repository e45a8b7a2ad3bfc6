import { expect } from "@jest/globals";
import { outcomeOf, PLUMBLINE, plumbline, run, type Settings } from "../../support/processes.ts";

type Level = "good" | "warning" | "fault";
type Finding = { readonly check: string; readonly level: Level; readonly sentence: string };

/** A finding must have sentences, and no secret. */
export function expectReadable({ sentence }: Finding): void {
  expect(sentence).toMatch(/^[A-Z/][^\n]*[.:;]$/);
  expect(sentence).not.toMatch(/wrong-password|canary/);
}

/** Runs `plumbline doctor`. Every finding must be a line of JSON. */
export async function examine(settings: Settings, within: readonly string[] = []) {
  const { exit, stdout, stderr } = await (within.length === 0
    ? plumbline(settings, "doctor")
    : outcomeOf(run(settings, [...PLUMBLINE, "doctor"], within)));
  expect(stderr).toBe("");
  const findings = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Finding);
  findings.forEach(expectReadable);
  expect(exit).toBe(findings.some(({ level }) => level === "fault") ? 1 : 0);
  return { exit, findings, of: (check: string) => findings.find((it) => it.check === check) };
}

/** The finding of one check. */
export const finding = async (check: string, settings: Settings, within: readonly string[] = []) =>
  (await examine(settings, within)).of(check);
export const found = (level: Level, sentence: RegExp) =>
  expect.objectContaining({ level, sentence: expect.stringMatching(sentence) });
