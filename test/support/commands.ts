import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The path of a command on PATH, or null. */
export function findCommand(command: string): string | null {
  const places = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, command));
  return (
    places.find((place) => {
      try {
        accessSync(place, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    }) ?? null
  );
}
