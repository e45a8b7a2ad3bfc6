import { age, anId, json, page, text, yes } from "./arguments.ts";
import { noun, operate, verb } from "./define.ts";

const video = { "video-id": anId("the id of the video") };

const list = verb(
  "list",
  "show the videos that have had their state for some time",
  {
    options: {
      state: { ...text("by default, queued and processing"), choices: ["queued", "processing", "failed", "succeeded"] },
      "older-than": { ...age("for at least this time, such as 90s, 30m, 24h or 7d"), default: "1h" },
      ...page,
      json,
    },
  },
  async (argv) => operate((await import("../operations/videos.ts")).list(argv)),
);
const retry = verb(
  "retry <video-id>",
  "process an unfinished video again from the start; the file of a failed one becomes a new upload of the same owner",
  { args: video, options: { json } },
  async (argv) => operate((await import("../operations/videos.ts")).retry(argv)),
);
const cancel = verb(
  "cancel <video-id>",
  "end an unfinished video as failed, and notify its owner",
  { args: video, options: { yes, json } },
  async (argv) => operate((await import("../operations/videos.ts")).cancel(argv)),
);

export const videos = noun("video", "the processing of videos", [list, retry, cancel]);
