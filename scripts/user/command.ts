import type { Db } from "../../src/database/client.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import type { CommandParts } from "../operations/parts.ts";

export type Options = {
  readonly scopes?: string | undefined;
  readonly issuer?: string | undefined;
  readonly subject?: string | undefined;
  readonly print?: string | undefined;
  readonly grace: string;
  readonly in?: string | undefined;
  readonly at?: string | undefined;
  readonly after?: string | undefined;
  readonly limit?: string | undefined;
  readonly to?: string | undefined;
  readonly yes: boolean;
  readonly "keep-endpoints": boolean;
  readonly json: boolean;
};

/** Checks the arguments, and returns the function that runs the command. That function returns the text to print. */
export type Command = (subject: string | undefined, options: Options) => (parts: CommandParts) => Promise<string | void>;

/** Finds a user that is not deleted. */
export async function requireUser(db: Db, userId: string) {
  const user = await db.user.findFirst({ where: { id: userId, deletedAt: null } });
  if (user === null) throw new StartupError(`There is no user ${userId}.`);
  return user;
}
