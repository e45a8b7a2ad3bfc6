import { flag } from "./arguments.ts";
import { verb } from "./define.ts";

export const doctor = verb(
  "doctor",
  "check the settings of a deployment and what they lead to, and say what is wrong; it changes nothing, and the exit code is 1 if there is a fault",
  { options: { json: flag("print lines of JSON in a terminal, too") } },
  async (argv) => (await import("../doctor/examine.ts")).printFindings(argv),
);
