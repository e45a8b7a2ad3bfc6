import { countIn, idIn, secondsIn } from "../operations/arguments.ts";

/** The definitions of arguments that several commands have. */

export const anId = (describe: string) => ({ describe, type: "string", demandOption: true, coerce: idIn }) as const;
export const aText = (describe: string) => ({ describe, type: "string", demandOption: true }) as const;
export const text = (describe: string) => ({ describe, type: "string", requiresArg: true }) as const;
export const age = (describe: string) => ({ ...text(describe), coerce: secondsIn }) as const;
export const flag = (describe: string) => ({ describe, type: "boolean", default: false }) as const;

export const json = flag("print JSON, one object per line");
export const yes = flag("do it: without this option, nothing is changed");

/** The options of a list. */
export const page = {
  after: { ...text("continue after the item with this id"), coerce: idIn },
  limit: { ...text("show at most so many items"), coerce: countIn },
} as const;
