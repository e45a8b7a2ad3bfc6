import { accessSync, constants, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { EVERY_MINUTE, HOURLY } from "../../src/jobs/queues.ts";
import { openObjectStore } from "../../src/storage/open-store.ts";
import { checkBinding } from "../../src/video-uploads/objects/store-binding.ts";
import { COUNTS, findNewest, findWrong } from "../operations/counts.ts";
import type { Subject } from "./database.ts";
import { fault, good, warning, type Checks } from "./finding.ts";

const WAIT_MAX_SECONDS = 600;
const COUNTS_SAMPLE = 1_000;
/** The same as in the alert PlumblineWebhooksDelayed. */
const DUE_MAX_SECONDS = 60;
/** A sample, because on a cluster each endpoint takes a query of all nodes. */
const DUE_ENDPOINTS_MAX = 500;
const SCHEDULES = [HOURLY.name, EVERY_MINUTE.name];
/** A worker polls the schedules every 30 s. */
const SILENCE_MAX_SECONDS = 180;

/** Whether the database has this table. Before the first start, it has none. */
const has = async ({ direct }: Subject, table: string) =>
  (await direct.query<{ is: boolean }>("SELECT to_regclass($1) IS NOT NULL AS is", [table])).rows[0]!.is;

/** Checks of the content of the database and the object store. */
export const contentChecks: Checks<Subject> = {
  async object_store(subject) {
    const { config, db, direct } = subject;
    const dataDir = resolve(config.DATA_DIR);
    const objects = await openObjectStore(config, dataDir);
    const folder = join(dataDir, "objects");
    if (config.OBJECT_STORE === "file" && existsSync(folder))
      accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    if (!(await has(subject, "store_ties"))) return good("The object store answers.");
    const found = await checkBinding(db, objects);
    if (found === null) {
      const { rows } = await direct.query<{ n: number }>("SELECT count(*)::int AS n FROM video_uploads");
      return rows[0]!.n === 0
        ? good("The object store answers; the next start makes it belong to this database.")
        : fault(
            `The object store has no marker of this database, which has ${rows[0]!.n} videos; check that DATA_DIR and OBJECT_STORE have the values of the running service.`,
          );
    }
    if (found.problem !== null) return fault(found.sentence);
    const { sweptAt, problem } = await db.storeBinding.findFirstOrThrow();
    if (problem === null) return good(`The object store answers. ${found.sentence}`);
    return fault(
      `The orphan GC of ${sweptAt?.toISOString()} deleted nothing (${problem}); see \`npm run -s plumbline -- store show\`.`,
    );
  },

  async rate_limit_table(subject) {
    if (subject.config.RATE_LIMITS === null || subject.config.ROLE === "worker") return null;
    if (await has(subject, "rate_limits")) return good("Writes are counted in the database, together for all processes.");
    return fault("The table rate_limits is missing, so every write fails; run `npm run migrate`.");
  },

  async counts(subject) {
    if (!(await has(subject, "storage_usage"))) return null;
    const wrong: string[] = [];
    for (const count of COUNTS) {
      const ids = await findWrong(subject.db, count, await findNewest(subject.db, count, COUNTS_SAMPLE));
      if (ids.length > 0) wrong.push(`${count.name} of ${ids.length} of the newest ${COUNTS_SAMPLE} ${count.of}`);
    }
    if (wrong.length === 0) return good(`The counts of the newest ${COUNTS_SAMPLE} conversations and users are right.`);
    return fault(
      `Counts are wrong (${wrong.join(", ")}), as after a restore of data without the triggers; run \`npm run -s plumbline -- counts correct\`.`,
    );
  },

  async failed_jobs(subject) {
    if (!(await has(subject, "pgboss.job"))) return null;
    const { rows } = await subject.direct.query<{ name: string; n: number }>(
      "SELECT name, count(*)::int AS n FROM pgboss.job WHERE state = 'failed' GROUP BY name ORDER BY name",
    );
    if (rows.length === 0) return good("No job has failed within the last hour.");
    const counts = rows.map((it) => `${it.n} in ${it.name}`).join(", ");
    return warning(`Jobs have failed permanently within the last hour: ${counts}. The log of the workers has the reasons.`);
  },

  async waiting_jobs(subject) {
    if (!(await has(subject, "pgboss.job"))) return null;
    const { rows } = await subject.direct.query<{ name: string; seconds: number; n: number }>(
      `SELECT name, count(*)::int AS n, max(extract(epoch FROM now() - greatest(created_on, start_after)))::int AS seconds
      FROM pgboss.job WHERE state IN ('created', 'retry') AND start_after <= now() GROUP BY name ORDER BY seconds DESC LIMIT 1`,
    );
    const [oldest] = rows;
    if (oldest === undefined) return good("No job waits.");
    const facts = `In ${oldest.name}, ${oldest.n} jobs wait, the oldest for ${oldest.seconds} s`;
    if (oldest.seconds < WAIT_MAX_SECONDS) return good(`${facts}.`);
    return warning(`${facts}; check that workers run (ROLE=worker or all), and add some if they are busy.`);
  },

  async webhooks(subject) {
    if (!(await has(subject, "webhook_deliveries"))) return null;
    const { rows } = await subject.direct.query<{ active: number; failing: number; disabled: number; seconds: number | null }>(
      `SELECT count(*) FILTER (WHERE disabled_because IS NULL AND failing_since IS NULL)::int AS active,
        count(*) FILTER (WHERE disabled_because IS NULL AND failing_since IS NOT NULL)::int AS failing,
        count(*) FILTER (WHERE disabled_because IS NOT NULL)::int AS disabled,
        (SELECT max(ready_seconds)::int FROM ready_endpoints('00000000-0000-0000-0000-000000000000', ${DUE_ENDPOINTS_MAX})
          WHERE paused_until IS NULL AND NOT is_disabled) AS seconds
      FROM webhook_endpoints`,
    );
    const { active, failing, disabled, seconds } = rows[0]!;
    if (active + failing + disabled === 0) return null;
    const facts = `Of the webhook endpoints, ${active} are active, ${failing} fail, and ${disabled} are disabled`;
    if (seconds === null) return good(`${facts}; no event is due.`);
    if (seconds < DUE_MAX_SECONDS) return good(`${facts}; the event that waits the longest has been due for ${seconds} s.`);
    return warning(
      `${facts}; an event has been due for ${seconds} s. Check that workers run (ROLE=worker or all), and add some if they are busy.`,
    );
  },

  async schedules(subject) {
    if (!(await has(subject, "pgboss.schedule")))
      return warning("No worker has started with this database yet, so no job runs and nothing is cleaned up.");
    const { rows } = await subject.direct.query<{ names: string[]; silent: number | null }>(
      `SELECT array(SELECT name FROM pgboss.schedule) AS names,
        (SELECT extract(epoch FROM now() - max(cron_on))::int FROM pgboss.version) AS silent`,
    );
    const { names, silent } = rows[0]!;
    const missing = SCHEDULES.filter((it) => !names.includes(it));
    if (missing.length > 0)
      return warning(
        `The schedules ${missing.join(", ")} are missing, so nothing is cleaned up; start a worker (ROLE=worker or all).`,
      );
    if (silent === null || silent <= SILENCE_MAX_SECONDS) return good("The schedules exist, and a worker follows them.");
    return warning(`No worker has followed the schedules for ${silent} s; start one (ROLE=worker or all).`);
  },
};
