/** The programs of this machine. */
import { accessSync, constants } from "node:fs";

/** Where to look by default. */
export const DEFAULT_FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"];

/** Whether it is there and we may run it. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
