/** What every TypeScript journey needs in addition to its client: the settings of the run, and a line for each step. */

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set; run.ts sets it`);
  return value;
}

export const apiUrl = setting("API_URL");
export const apiKey = setting("API_KEY");
export const colleagueId = setting("COLLEAGUE_ID");
export const colleagueKey = setting("COLLEAGUE_KEY");
export const videoPath = setting("VIDEO");
/** POST takes an event of a webhook, GET waits for the next one. */
export const eventsUrl = setting("EVENTS_URL");
/** Where the short URL leads. */
export const target = "https://www.example.com/slates/order/5531";

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

/** Compares the posts of both ways of paging with those that were created, newest first. */
export function checkPages(created: readonly string[], byCursor: readonly string[], byOffset: readonly string[]): string {
  check(byCursor.join() === created.join(), "paging by cursor does not give the posts, newest first");
  check(byOffset.join() === created.toReversed().join(), "paging by offset does not give the posts, oldest first");
  return "5 posts by cursor and by offset";
}

/** Checks the problems of the last step: the status, and the body as the client has typed it. */
export function checkProblems(
  ...refusals: readonly { readonly status: number | undefined; readonly problem: Problem | undefined }[]
): string {
  const seen = refusals.map(({ status, problem }) => `${status} ${problem?.code}`);
  check(seen.join() === "404 not_found,409 id_taken,400 conflicting_parameters", seen.join());
  check(refusals[2]?.problem?.errors?.length === 2, "the two parameters are not named");
  return seen.join(", ");
}

/** A name that no other user has. */
export const uniqueName = (): string => `Mara ${crypto.randomUUID().slice(0, 8)}`;

/** Plays a file as a page does: through its link, without a credential, from the beginning and from the middle. */
export async function checkPlays(link: URL, sizeBytes: number): Promise<string> {
  const whole = await fetch(link);
  check(whole.status === 200 && (await whole.blob()).size === sizeBytes, "the rendition is not whole");
  const part = await fetch(link, { headers: { Range: "bytes=1000-1999" } });
  check(part.status === 206 && (await part.blob()).size === 1000, "not the requested range");
  return `${sizeBytes} bytes without a header, and a range`;
}

/** The next event at `eventsUrl`. Its type comes from the client, and the journey checks what it needs of it. */
export async function nextEvent(): Promise<unknown> {
  const response = await fetch(eventsUrl);
  check(response.status === 200, "no event has come");
  return response.json();
}

type Problem = { readonly code: string; readonly errors?: readonly unknown[] };
