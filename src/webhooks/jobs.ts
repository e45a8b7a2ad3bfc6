import { z } from "zod";
import type { Db } from "../database/client.ts";
import { declareJob, scheduled } from "../jobs/job.ts";
import { HEARTBEAT_SECONDS, HOURLY } from "../jobs/queues.ts";
import { purgeDeliveries } from "./store.ts";

/** The endpoints of this lane have failed, were slow, or are new: those that answer never wait for them. */
export const SLOW_LANE = 1;
const LANES = 2;

/**
 * A turn of one endpoint: sends it the events that are due. The events wait in `webhook_deliveries`, so the queue has at most one job
 * for each endpoint, however many events wait, and a job that is lost only costs time.
 */
export const takeTurn = declareJob({
  name: "webhook_turns",
  payload: z.object({ endpointId: z.uuid() }),
  isExclusive: true,
  lanes: LANES,
  concurrency: 8,
  // A notification wakes a worker, and there are many of them.
  pollSeconds: 15,
  options: { notify: true, heartbeatSeconds: HEARTBEAT_SECONDS, expireInSeconds: 300, retryLimit: 0, deleteAfterSeconds: 60 },
});

export const webhookJobs = [
  scheduled(HOURLY, "webhook_deliveries", ({ db }: { readonly db: Db }) => purgeDeliveries(db)),
] as const;
