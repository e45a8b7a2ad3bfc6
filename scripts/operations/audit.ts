import { hostname, userInfo } from "node:os";
import type { Config } from "../../src/config.ts";

/**
 * Writes a line to stderr, in the form of the service's log, about a change that an operator makes: what, to what, by whom. Only
 * in production, where commands run beside a log that is kept.
 */
export function audit({ NODE_ENV }: Pick<Config, "NODE_ENV">, action: string, about: Readonly<Record<string, unknown>>): void {
  if (NODE_ENV !== "production") return;
  const line = { level: 30, time: Date.now(), audit: action, ...about, operator: nameOfOperator(), host: hostname() };
  console.error(JSON.stringify({ ...line, msg: "an operator has changed something" }));
}

function nameOfOperator(): string {
  try {
    return userInfo().username;
  } catch {
    // A container can run as a user without a name.
    return String(process.getuid?.() ?? "unknown");
  }
}
