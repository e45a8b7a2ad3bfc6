import type { Db } from "../database/client.ts";
import { scheduled } from "../jobs/job.ts";
import { HOURLY } from "../jobs/queues.ts";
import { purgeClickDays } from "./store.ts";

export const urlJobs = [scheduled(HOURLY, "click_days", ({ db }: { readonly db: Db }) => purgeClickDays(db))] as const;
