import { json } from "./arguments.ts";
import { noun, operate, verb } from "./define.ts";

const check = verb("check", "print how many are wrong; the exit code is 2 if one is", { options: { json } }, async (argv) =>
  operate((await import("../operations/recount.ts")).recount({ ...argv, corrects: false })),
);
const correct = verb("correct", "correct those that are wrong", { options: { json } }, async (argv) =>
  operate((await import("../operations/recount.ts")).recount({ ...argv, corrects: true })),
);

export const counts = noun("counts", "the counts that triggers maintain, compared with the rows", [check, correct]);
