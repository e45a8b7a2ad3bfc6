import { print, runCommand, UsageError } from "../src/util/command.ts";
import { configOfCommand } from "./operations/settings.ts";
import { processVideo } from "../src/video-uploads/jobs.ts";
import { findObserved, type FindObservedRow } from "../src/video-uploads/store.ts";
import { createStorageQuota } from "../src/video-uploads/objects/storage-quota.ts";
import { cancelVideo, retryVideo } from "../src/video-uploads/admin/service.ts";
import { ageOf, countIn, idIn, requireYes, secondsIn } from "./operations/arguments.ts";
import { audit } from "./operations/audit.ts";
import { printAll } from "./operations/pages.ts";
import { openParts, SILENT, type CommandParts } from "./operations/parts.ts";

const USAGE = `Shows the processing of videos, and retries or cancels it.

Usage:
  npm run -s video -- list [--state STATE] [--older-than 1h]   show the unfinished videos that have had their state for this long
  npm run -s video -- retry VIDEO_ID                           process an unfinished video again from the start; the file of a
                                                               failed one becomes a new upload of the same owner
  npm run -s video -- cancel VIDEO_ID --yes                    end an unfinished video as failed, and notify its owner

Options:
  --state STATE      queued, processing, failed or succeeded; by default, queued and processing
  --older-than AGE   such as 90s, 30m, 24h or 7d; by default, 1h
  --after VIDEO_ID   continue behind this video
  --limit N          show at most N videos
  --json             print JSON, one object per line`;

const STATES = ["queued", "processing", "failed", "succeeded"];

type Options = {
  readonly state?: string | undefined;
  readonly "older-than": string;
  readonly after?: string | undefined;
  readonly limit?: string | undefined;
  readonly yes: boolean;
  readonly json: boolean;
};
type Command = (argument: string | undefined, options: Options) => (parts: CommandParts) => Promise<string | void>;

function jobOf({ jobState, startAfter, silentSeconds }: FindObservedRow): string {
  if (jobState === null) return "no job";
  if (silentSeconds !== null) return `its worker sent a heartbeat ${ageOf(silentSeconds)} ago`;
  if (startAfter === null) return `its job is ${jobState}`;
  return new Date(startAfter) > new Date() ? `its job waits until ${startAfter}` : "its job waits for a worker";
}

const toJson = (it: FindObservedRow) => ({
  id: it.id,
  owner_id: it.ownerId,
  name: it.name,
  status: it.status,
  age_seconds: it.ageSeconds,
  attempt: it.attempt,
  error_code: it.errorCode,
  created_at: it.createdAt,
  job: it.jobState,
  job_starts_at: it.startAfter,
  worker_silent_seconds: it.silentSeconds,
});

const toLine = (it: FindObservedRow) =>
  `${it.id}  ${it.errorCode ?? it.status} for ${ageOf(it.ageSeconds)}, attempt ${it.attempt}, ${jobOf(it)}; user ${it.ownerId}`;

const list: Command = (argument, { state, "older-than": age, after: first, limit: most, json }) => {
  if (argument !== undefined || (state !== undefined && !STATES.includes(state))) throw new UsageError();
  const [statuses, olderThanSeconds] = [state === undefined ? STATES.slice(0, 2) : [state], secondsIn(age)];
  const position = { limit: countIn(most), after: first === undefined ? null : idIn(first) };
  return async ({ db, openJobs }) => {
    // Creates the tables of the queue if the service has never run.
    await openJobs();
    const find = (after: string | null, take: number) =>
      findObserved(db, { queue: processVideo.name, statuses, olderThanSeconds, after, limit: take });
    const printed = await printAll(find, (it) => (json ? JSON.stringify(toJson(it)) : toLine(it)), position);
    return printed === 0 && !json ? `There are no such videos.` : undefined;
  };
};

async function envOf({ config, db, openJobs, openObjects }: CommandParts) {
  const objects = await openObjects();
  const quota = createStorageQuota(db, config.MAX_STORED_BYTES_PER_USER, objects.retainDeletedMs);
  return { db, log: SILENT, queue: (await openJobs()).queue, objects, quota };
}

const retry: Command = (argument, { json }) => {
  const id = idIn(argument);
  return async (parts) => {
    const queued = await retryVideo(await envOf(parts), id);
    await audit(parts, "video.retry", { video_upload_id: id, queued_id: queued });
    if (json) return JSON.stringify({ id, queued_id: queued });
    return queued === id ? `The video ${id} is queued again.` : `The file of ${id} is queued as the new upload ${queued}.`;
  };
};

const cancel: Command = (argument, { yes, json }) => {
  const id = idIn(argument);
  requireYes(yes, `This ends the video ${id} as failed, permanently, and notifies its owner.`);
  return async (parts) => {
    await cancelVideo(await envOf(parts), id);
    await audit(parts, "video.cancel", { video_upload_id: id });
    return json ? JSON.stringify({ id, status: "failed" }) : `The video ${id} has failed now, and its owner is notified.`;
  };
};

const COMMANDS: Readonly<Record<string, Command>> = { list, retry, cancel };

const options = {
  state: { type: "string" },
  "older-than": { type: "string", default: "1h" },
  after: { type: "string" },
  limit: { type: "string" },
  yes: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

await runCommand({ usage: USAGE, options, arguments: 2 }, async ({ values, positionals: [name = "", subject] }) => {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new UsageError();
  const run = command(subject, values);
  await using stack = new AsyncDisposableStack();
  const result = await run(await openParts(configOfCommand(), stack));
  if (result !== undefined) await print(result);
});
