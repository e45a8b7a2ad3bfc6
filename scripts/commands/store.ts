import { print } from "../../src/util/command.ts";
import { countIn, localTimeIn } from "../operations/arguments.ts";
import { aText, flag, json, text } from "./arguments.ts";
import { noun, operate, verb } from "./define.ts";

const show = verb(
  "show",
  "show which database the object store belongs to, and the result of the last orphan GC; the exit code is 2 if a problem prevents it",
  { options: { json } },
  async (argv) => operate((await import("../store/verbs.ts")).show(argv)),
);
const check = verb(
  "check",
  "check that every video has its objects, with the right size; print each fault, and exit with 2 if there is one",
  { options: { bytes: flag("also read the objects, and compare their bytes"), json } },
  async (argv) => operate((await import("../store/verbs.ts")).check(argv)),
);
const bind = verb("bind", "bind the object store to this database", { options: { json } }, async (argv) =>
  operate((await import("../store/verbs.ts")).bind(argv)),
);
const approve = verb("approve", "let the next orphan GC delete all current orphans", { options: { json } }, async (argv) =>
  operate((await import("../store/verbs.ts")).approve(argv)),
);
const copy = verb(
  "copy <folder>",
  "bring a copy of the store up to date; the exit code is 2 if KEEP_DELETED_HOURS is too short for a gapless backup",
  {
    args: { folder: aText("the folder of the copy") },
    options: { "keep-days": { ...text("how long deleted objects stay in the copy"), coerce: countIn, default: "14" }, json },
  },
  async (argv) => print(await (await import("../store/verbs.ts")).copy(argv)),
);
const restore = verb(
  "restore <folder>",
  "put the objects of a copy into an empty store; scripts/deploy/BACKUP.md has the steps",
  {
    args: { folder: aText("the folder of the copy") },
    options: { at: { ...text("the time of the database; by default, of the copy"), coerce: localTimeIn }, json },
  },
  async (argv) => print(await (await import("../store/verbs.ts")).restore(argv)),
);

export const store = noun("store", "the object store: its database, its objects, and copies of it", [
  ...[show, check, bind, approve, copy, restore],
]);
