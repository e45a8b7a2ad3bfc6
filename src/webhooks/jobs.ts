import type { Db } from "../database/client.ts";
import { scheduled } from "../jobs/job.ts";
import { HOURLY } from "../jobs/queues.ts";
import { purgeDeliveries } from "./store.ts";

export const webhookJobs = [
  scheduled(HOURLY, "webhook_deliveries", ({ db }: { readonly db: Db }) => purgeDeliveries(db)),
] as const;
