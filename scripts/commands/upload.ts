import { aText, text } from "./arguments.ts";
import { verb } from "./define.ts";

export const upload = verb(
  "upload <file>",
  "upload a video, and wait until it is processed",
  {
    args: { file: aText("the path of the video") },
    options: {
      name: text("the name of the upload; by default, that of the file"),
      url: text("the URL of the service; by default, of the one that runs in this checkout, or http://127.0.0.1:3000"),
      key: text("an API key; by default, PLUMBLINE_KEY, or the key of the first demo user in DATA_DIR"),
    },
  },
  async (argv) => (await import("../upload/upload.ts")).upload(argv),
);
