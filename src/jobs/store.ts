import { Prisma } from "#generated/prisma/client.ts";
import type { AnyJob } from "./job.ts";

/** The unfinished jobs of a queue (waiting or running) as a FROM item: their `id`, `state` and `retry_count`. */
export const unfinishedJobs = ({ queue }: AnyJob<never>): Prisma.Sql => Prisma.sql`(
  SELECT id, state, retry_count FROM pgboss.job WHERE name = ${queue.name} AND state IN ('created', 'retry', 'active'))`;
