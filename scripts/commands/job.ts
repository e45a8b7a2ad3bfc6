import { aText, anId, json, page, text, yes } from "./arguments.ts";
import { noun, operate, verb } from "./define.ts";

const QUEUE = "the queue; video-uploads-dead has the dead letters of video-uploads";
const job = { queue: aText(QUEUE), "job-id": anId("the id of the job") };
const STATES = ["created", "retry", "active", "completed", "cancelled", "failed"];

const count = verb("count", "count the jobs of each queue: waiting, running and failed", { options: { json } }, async (argv) =>
  operate((await import("../operations/jobs.ts")).count(argv)),
);
const list = verb(
  "list [queue]",
  "show the jobs in a state, with their errors",
  {
    args: { queue: { describe: QUEUE, type: "string" } },
    options: { state: { ...text("their state"), choices: STATES, default: "failed" }, ...page, json },
  },
  async (argv) => operate((await import("../operations/jobs.ts")).list(argv)),
);
const retry = verb(
  "retry <queue> <job-id>",
  "give a failed job one more attempt",
  { args: job, options: { json } },
  async (argv) => operate((await import("../operations/jobs.ts")).retry(argv)),
);
const discard = verb(
  "discard <queue> <job-id>",
  "remove a failed or waiting job",
  { args: job, options: { yes, json } },
  async (argv) => operate((await import("../operations/jobs.ts")).discard(argv)),
);

export const jobs = noun("job", "the jobs of the queue; video retries or cancels those of videos", [count, list, retry, discard]);
