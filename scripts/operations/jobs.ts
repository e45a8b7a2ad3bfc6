import { countJobs, findJobState, findObservedJobs, type FindObservedJobsRow } from "../../src/jobs/store.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { processVideo } from "../../src/video-uploads/jobs.ts";
import { ageOf, requireYes } from "./arguments.ts";
import { audit } from "./audit.ts";
import { printAll, type Position } from "./pages.ts";
import type { Work } from "./parts.ts";

const toJson = ({ ageSeconds, ...it }: FindObservedJobsRow) => ({ ...it, age_seconds: ageSeconds });
const toLine = (it: FindObservedJobsRow) =>
  `${it.queue}  ${it.id}  ${it.work} ${it.state} for ${ageOf(it.ageSeconds)}, attempt ${it.attempts}${it.error === null ? "" : `: ${it.error}`}`;

export const count =
  ({ json }: { readonly json: boolean }): Work =>
  async ({ db, openJobs }) => {
    await openJobs();
    const rows = await countJobs(db);
    const toJson = ({ oldestSeconds, oldestLaterSeconds, ...it }: (typeof rows)[number]) =>
      JSON.stringify({ ...it, oldest_seconds: oldestSeconds, oldest_later_seconds: oldestLaterSeconds });
    if (json) return rows.map(toJson).join("\n");
    const lineOf = ({ queue, waiting, deferred, active, failed, oldestSeconds, oldestLaterSeconds }: (typeof rows)[number]) =>
      `${queue}: ${waiting} waiting, the oldest for ${ageOf(Math.max(oldestSeconds, oldestLaterSeconds))}; ${deferred} for later, ${active} running, ${failed} failed`;
    return rows.map(lineOf).join("\n");
  };

type Wanted = Position & { readonly queue?: string | undefined; readonly state: string; readonly json: boolean };

export const list =
  ({ queue, state, json, ...position }: Wanted): Work =>
  async ({ db, openJobs }) => {
    // Creates the tables of the queue if the service has never run.
    await openJobs();
    const find = (after: string | null, take: number) =>
      findObservedJobs(db, { queue: queue ?? null, states: [state], after, limit: take });
    const printed = await printAll(find, (it) => (json ? JSON.stringify(toJson(it)) : toLine(it)), position);
    return printed === 0 && !json ? `No job is ${state}.` : undefined;
  };

/** The row of a video must agree with its job, which only the command for videos ensures. */
function refuseVideo(queue: string, id: string): void {
  if (queue === processVideo.queue.name)
    throw new StartupError(`The job ${id} processes a video. Use npm run -s plumbline -- video retry ${id}, or cancel.`);
}

type Change = { readonly queue: string; readonly jobId: string; readonly yes?: boolean; readonly json: boolean };

const change =
  (verb: "retry" | "discard", states: readonly string[]) =>
  ({ queue, jobId: id, yes = false, json }: Change): Work => {
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

export const retry = change("retry", ["failed"]);
export const discard = change("discard", ["failed", "created", "retry", "cancelled"]);
