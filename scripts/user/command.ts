import type { Db } from "../../src/database/client.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import type { CommandParts } from "../operations/parts.ts";

type Work = (parts: CommandParts) => Promise<string | void>;

/** Checks the arguments, and returns the function that runs the command. That function returns the text to print. */
export type Command<Args> = (args: Args) => Work;
export type OfUser = { readonly userId: string; readonly json: boolean };

/** Finds a user that is not deleted. */
export async function requireUser(db: Db, userId: string) {
  const user = await db.user.findFirst({ where: { id: userId, deletedAt: null } });
  if (user === null) throw new StartupError(`There is no user ${userId}.`);
  return user;
}
