import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository, run, type Running } from "../../support/running.ts";

/** This code with one more migration, in a temporary folder: the next version, of which a process can be started. */
export function laterVersion(name: string, sql: string) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-later-"));
  for (const it of ["src", "scripts", "generated", "prisma", "package.json"])
    cpSync(join(repository, it), join(folder, it), { recursive: true });
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "prisma/migrations", name));
  writeFileSync(join(folder, "prisma/migrations", name, "migration.sql"), sql);
  return {
    /** Starts the service, or another script. */
    start: (settings: Readonly<Record<string, string>>, args?: readonly string[]): Running =>
      run(settings, args, ["env", "--chdir", folder]),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
