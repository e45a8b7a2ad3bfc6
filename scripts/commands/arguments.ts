import { countIn, idIn, secondsIn } from "../operations/arguments.ts";

/** The definitions of arguments that several commands have. */

export const aText = (describe: string) => ({ describe, type: "string", demandOption: true }) as const;
export const text = (describe: string) => ({ describe, type: "string", requiresArg: true }) as const;
export const id = (describe: string) => ({ ...text(describe), coerce: idIn }) as const;
export const anId = (describe: string) => ({ ...aText(describe), coerce: idIn }) as const;
export const age = (describe: string) => ({ ...text(describe), coerce: secondsIn }) as const;
export const flag = (describe: string) => ({ describe, type: "boolean", default: false }) as const;

export const json = flag("print JSON, one object per line");
export const yes = flag("do it: without this option, nothing is changed");

/** The options of a list. */
export const page = {
  after: id("continue after the item with this id"),
  limit: { ...text("show at most so many items"), coerce: countIn },
} as const;
