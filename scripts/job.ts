import { print, runCommand, UsageError } from "../src/util/command.ts";
import { configOfCommand } from "./operations/settings.ts";
import { countJobs, findJobState, findObservedJobs, type FindObservedJobsRow } from "../src/jobs/store.ts";
import { StartupError } from "../src/util/startup-error.ts";
import { processVideo } from "../src/video-uploads/jobs.ts";
import { ageOf, countIn, idIn, requireYes } from "./operations/arguments.ts";
import { audit } from "./operations/audit.ts";
import { printAll } from "./operations/pages.ts";
import { openParts, type CommandParts } from "./operations/parts.ts";

const USAGE = `Shows the jobs of the queue, and retries or discards failed ones.

Usage:
  npm run -s job -- count                          count the jobs of each queue: waiting, running and failed
  npm run -s job -- list [QUEUE] [--state STATE]   show the jobs in a state, by default the failed ones, with their errors
  npm run -s job -- retry QUEUE JOB_ID             give a failed job one more attempt
  npm run -s job -- discard QUEUE JOB_ID --yes     remove a failed or waiting job

Options:
  --state STATE    created, retry, active, completed, cancelled or failed
  --after JOB_ID   continue behind this job
  --limit N        show at most N jobs
  --json           print JSON, one object per line

video-uploads-dead has the dead letters of video-uploads. To retry or cancel a video, use npm run video.`;

const STATES = ["created", "retry", "active", "completed", "cancelled", "failed"];

type Options = {
  readonly state: string;
  readonly after?: string | undefined;
  readonly limit?: string | undefined;
  readonly yes: boolean;
  readonly json: boolean;
};
type Command = (options: Options, queue?: string, jobId?: string) => (parts: CommandParts) => Promise<string | void>;

const toJson = ({ ageSeconds, ...it }: FindObservedJobsRow) => ({ ...it, age_seconds: ageSeconds });
const toLine = (it: FindObservedJobsRow) =>
  `${it.queue}  ${it.id}  ${it.work} ${it.state} for ${ageOf(it.ageSeconds)}, attempt ${it.attempts}${it.error === null ? "" : `: ${it.error}`}`;

const count: Command =
  ({ json }, queue) =>
  async ({ db, openJobs }) => {
    if (queue !== undefined) throw new UsageError();
    await openJobs();
    const rows = await countJobs(db);
    const toJson = ({ oldestSeconds, oldestLaterSeconds, ...it }: (typeof rows)[number]) =>
      JSON.stringify({ ...it, oldest_seconds: oldestSeconds, oldest_later_seconds: oldestLaterSeconds });
    if (json) return rows.map(toJson).join("\n");
    const lineOf = ({ queue, waiting, deferred, active, failed, oldestSeconds, oldestLaterSeconds }: (typeof rows)[number]) =>
      `${queue}: ${waiting} waiting, the oldest for ${ageOf(Math.max(oldestSeconds, oldestLaterSeconds))}; ${deferred} for later, ${active} running, ${failed} failed`;
    return rows.map(lineOf).join("\n");
  };

const list: Command = ({ state, after: first, limit: most, json }, queue = undefined, more = undefined) => {
  if (more !== undefined || !STATES.includes(state)) throw new UsageError();
  const position = { limit: countIn(most), after: first === undefined ? null : idIn(first) };
  return async ({ db, openJobs }) => {
    await openJobs();
    const find = (after: string | null, take: number) =>
      findObservedJobs(db, { queue: queue ?? null, states: [state], after, limit: take });
    const printed = await printAll(find, (it) => (json ? JSON.stringify(toJson(it)) : toLine(it)), position);
    return printed === 0 && !json ? `No job is ${state}.` : undefined;
  };
};

/** The row of a video must agree with its job, which only the command for videos ensures. */
function refuseVideo(queue: string, id: string): void {
  if (queue === processVideo.queue.name)
    throw new StartupError(`The job ${id} processes a video. Use npm run -s video -- retry ${id}, or cancel.`);
}

const change =
  (verb: "retry" | "discard", states: readonly string[]): Command =>
  ({ yes, json }, queue, jobId) => {
    if (queue === undefined) throw new UsageError();
    const id = idIn(jobId);
    refuseVideo(queue, id);
    if (verb === "discard") requireYes(yes, `This removes the job ${id} of ${queue}, whose work is then never done.`);
    return async ({ db, config, openJobs }) => {
      const jobs = await openJobs();
      const state = (await findJobState(db, { queue, id }))?.state ?? null;
      if (state === null || !states.includes(state))
        throw new StartupError(`The queue ${queue} has no job ${id} that is ${states.join(" or ")}.`);
      await jobs[verb](queue, id);
      await audit({ db, config }, `job.${verb}`, { queue, job_id: id });
      if (json) return JSON.stringify({ queue, id, done: verb });
      return verb === "retry" ? `The job ${id} gets one more attempt.` : `The job ${id} is removed.`;
    };
  };

const COMMANDS: Readonly<Record<string, Command>> = {
  count,
  list,
  retry: change("retry", ["failed"]),
  discard: change("discard", ["failed", "created", "retry", "cancelled"]),
};

const options = {
  state: { type: "string", default: "failed" },
  after: { type: "string" },
  limit: { type: "string" },
  yes: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

await runCommand({ usage: USAGE, options, arguments: 3 }, async ({ values, positionals: [name = "", queue, jobId] }) => {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new UsageError();
  const run = command(values, queue, jobId);
  await using stack = new AsyncDisposableStack();
  const result = await run(await openParts(configOfCommand(), stack));
  if (result !== undefined) await print(result);
});
