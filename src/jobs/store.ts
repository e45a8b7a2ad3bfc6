import * as sql from "#generated/sql/jobs.ts";
import type { Runner } from "../database/statement.ts";
import { laneRange } from "./priority.ts";

export * from "#generated/sql/jobs.ts";

/** The first two lanes are for short jobs. */
export const countJobs = (runner: Runner) => sql.countJobs(runner, { firstLane: laneRange(1, 3).minPriority! });
