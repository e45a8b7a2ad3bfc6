import type { Db } from "../database/client.ts";
import { scheduled } from "../jobs/job.ts";
import { HOURLY } from "../jobs/queues.ts";
import { purgeDeliveries, purgeResponses } from "./store.ts";

export const webhookJobs = [
  scheduled(HOURLY, "webhook_deliveries", ({ db }: { readonly db: Db }) => purgeDeliveries(db)),
  // Until the first release that no longer runs beside contract version 1.2.0, which stores the response to each event.
  scheduled(HOURLY, "webhook_responses", ({ db }: { readonly db: Db }) => purgeResponses(db)),
] as const;
