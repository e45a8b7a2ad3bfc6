import * as sql from "#generated/sql/jobs.ts";
import type { Runner } from "../database/statement.ts";
import type { AnyJob } from "./job.ts";
import { laneRange } from "./priority.ts";

export {
  countAttemptsBefore,
  findJobState,
  findObservedJobs,
  hasUnfinishedJob,
  removeJobsOf,
  type FindObservedJobsRow as ObservedJob,
} from "#generated/sql/jobs.ts";

/** Names the unfinished jobs of a queue, waiting or running, for statements that read them. */
export const unfinishedJobs = ({ queue }: Pick<AnyJob<never>, "queue">) => ({ queue: queue.name });

/** Counts the jobs of each queue. */
export const countJobs = (runner: Runner) => sql.countJobs(runner, { firstLane: laneRange(0, 2).minPriority! });
