import { expect, it } from "@jest/globals";
import { pino } from "pino";
import { z } from "zod";
import { connect, transaction } from "../../src/database/client.ts";
import { job } from "../../src/jobs/job.ts";
import { startJobs } from "../../src/jobs/jobs.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";

it("a job has the attempts of its queue, and one more for each that doesn't count; a later attempt gets the new payload", async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const { db } = stack.adopt(await connect(database.url, { DATABASE_POOL_SIZE: 2 }, () => undefined), (it) => it.close());
  const begun: (readonly [step: string, attempt: number, attemptsMax: number])[] = [];
  const steps = job({
    name: "steps",
    payload: z.object({ step: z.string() }),
    options: { retryLimit: 2, notify: true },
    async work(_env: object, { step }, execution) {
      begun.push([step, execution.attempt, execution.attemptsMax]);
      await transaction(db, async (tx) => {
        if (step === "first") await execution.putBack(tx, { uncounted: true, payload: { step: "after a stop" } });
        else if (step === "after a stop") await execution.putBack(tx, { uncounted: false, payload: { step: "after a failure" } });
        else if (execution.attempt < execution.attemptsMax) await execution.retry(tx, new Error("a failure"), 0);
        else await execution.complete(tx);
      });
    },
  });
  const log = pino({ level: "silent" });
  const jobs = stack.adopt(await startJobs(database.url, [steps.queue], { isWorker: true, log }), (it) => it.close());
  await jobs.work([steps], {});
  await transaction(db, (tx) => jobs.queue.enqueue(tx, steps, { step: "first" }));
  const state = async () =>
    (await db.$queryRaw<{ state: string }[]>`SELECT state::text FROM pgboss.job WHERE name = 'steps'`).map((it) => it.state);
  await eventually("the end of the job", async () => (await state())[0] === "completed");
  expect(begun).toEqual([
    ["first", 1, 3],
    ["after a stop", 2, 4],
    ["after a failure", 3, 4],
    ["after a failure", 4, 4],
  ]);
  expect(await state()).toEqual(["completed"]);
});
