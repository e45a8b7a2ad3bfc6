import { Prisma } from "#generated/prisma/client.ts";
import type { AnyJob } from "./job.ts";

/** The jobs of a queue that wait or run, for a FROM clause: their `id`, `state` and `retry_count`. */
export const unfinishedJobs = ({ queue }: AnyJob<never>): Prisma.Sql => Prisma.sql`(
  SELECT id, state, retry_count FROM pgboss.job WHERE name = ${queue.name} AND state IN ('created', 'retry', 'active'))`;
