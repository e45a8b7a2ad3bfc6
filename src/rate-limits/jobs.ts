import type { Db } from "../database/client.ts";
import { scheduled } from "../jobs/job.ts";
import { HOURLY } from "../jobs/queues.ts";
import { purgeRateLimits } from "./store.ts";

export const rateLimitJobs = [scheduled(HOURLY, "rate_limits", ({ db }: { readonly db: Db }) => purgeRateLimits(db))] as const;
