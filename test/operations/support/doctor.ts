import { expect } from "@jest/globals";
import { PLUMBLINE } from "../../support/plumbline.ts";
import { run } from "../../support/running.ts";

type Settings = Readonly<Record<string, string>>;
type Finding = { readonly check: string; readonly level: string; readonly sentence: string };

/** Runs `plumbline doctor` with these settings. Every finding must be a line of JSON with sentences, and no secret. */
export async function examine(settings: Settings, within: readonly string[] = []) {
  await using process = run(settings, [...PLUMBLINE, "doctor"], within);
  const exit = await process.exited;
  expect(process.stderr()).toBe("");
  for (const secret of ["wrong-password", "canary"]) expect(process.stdout()).not.toContain(secret);
  const lines = process.stdout().trim().split("\n");
  const findings = lines.map((line) => JSON.parse(line) as Finding);
  for (const { sentence } of findings) expect(sentence).toMatch(/^[A-Z/][^\n]*[.:;]$/);
  expect(exit).toBe(findings.some(({ level }) => level === "fault") ? 1 : 0);
  return { exit, findings, of: (check: string) => findings.find((it) => it.check === check) };
}
