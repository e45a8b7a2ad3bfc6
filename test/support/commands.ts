import { accessSync, constants, globSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** The path of a command on PATH, or null. */
export function findCommand(command: string): string | null {
  const candidates = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, command));
  return (
    candidates.find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    }) ?? null
  );
}

/** The folder with the programs of a PostgreSQL server: that of `initdb` on PATH, or where Debian has it. Null if there is none. */
export function findPostgresql(): string | null {
  const found = findCommand("initdb");
  if (found !== null) return dirname(realpathSync(found));
  const [newest] = globSync("/usr/lib/postgresql/*/bin/initdb").sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  return newest === undefined ? null : dirname(newest);
}
