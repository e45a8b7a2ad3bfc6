import * as sql from "#generated/sql/jobs.ts";
import type { Runner } from "../database/statement.ts";
import { laneRange } from "./priority.ts";

export * from "#generated/sql/jobs.ts";

export const countJobs = (runner: Runner) => sql.countJobs(runner, { firstLane: laneRange(0, 2).minPriority! });
