import * as sql from "#generated/sql/jobs.ts";
import type { Runner } from "../database/statement.ts";
import { laneRange } from "./priority.ts";

export {
  countAttemptsBefore,
  findJobState,
  findObservedJobs,
  hasUnfinishedJob,
  removeJobsOf,
  type FindObservedJobsRow as ObservedJob,
} from "#generated/sql/jobs.ts";

/** Counts the jobs of each queue. */
export const countJobs = (runner: Runner) => sql.countJobs(runner, { firstLane: laneRange(0, 2).minPriority! });
