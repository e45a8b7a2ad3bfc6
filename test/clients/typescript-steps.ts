/** What every TypeScript journey needs in addition to its client: the settings of the run, and a line for each step. */

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set; run.ts sets it`);
  return value;
}

export const apiUrl = setting("API_URL");
export const apiKey = setting("API_KEY");
export const colleagueId = setting("COLLEAGUE_ID");
export const videoPath = setting("VIDEO");

/** Runs one step of the journey, and prints the line that run.ts counts. */
export async function step(number: number, run: () => Promise<string>): Promise<void> {
  console.log(`ok ${number} ${await run()}`);
}

/** Reports what the client can't express, for the table in openapi/CLIENTS.md. */
export function note(text: string): void {
  console.log(`note ${text}`);
}

export function check(condition: unknown, message: string): asserts condition {
  if (condition !== true) throw new Error(message);
}

export function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`${what} is missing`);
  return value;
}

/** Waits as long as `Retry-After` says. A job that has ended has no such header. */
export function pause(retryAfter: string | null): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1000 * Number(retryAfter ?? 1)));
}
