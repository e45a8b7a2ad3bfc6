import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
/** The files outside the contract that contain the version. In each expression, the group is the text before the version. */
const VERSION_PATTERNS: Readonly<Record<string, RegExp>> = {
  "package.json": /^( {2}"version": ")[\d.]+/m,
  "package-lock.json": /^((?: {2}| {6})"version": ")[\d.]+(?=",\n(?: {2}"lockfileVersion"| {6}"license"))/gm,
  Dockerfile: /(image\.version=")[\d.]+/,
  "compose.yaml": /(image: plumbline:)[\d.]+/,
  "scripts/deploy/README.md": /(plumbline:)\d[\d.]+/g,
};

/** The files with another version than the contract, with their corrected text. */
export function withOtherVersion(): { readonly file: string; readonly text: string }[] {
  const [, version] = /^ {2}version: (\S+)$/m.exec(readFileSync(join(ROOT, "openapi/openapi.yaml"), "utf8"))!;
  return Object.entries(VERSION_PATTERNS).flatMap(([file, pattern]) => {
    const before = readFileSync(join(ROOT, file), "utf8");
    if (before.search(pattern) < 0) throw new Error(`${file} has no version.`);
    const text = before.replace(pattern, `$1${version}`);
    return text === before ? [] : [{ file, text }];
  });
}

/** Writes the version of the contract into the files with another one. */
export function writeVersion(): void {
  for (const { file, text } of withOtherVersion()) {
    writeFileSync(join(ROOT, file), text);
    console.log(`Wrote the version into ${file}.`);
  }
}
