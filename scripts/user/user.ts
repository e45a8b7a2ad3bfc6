import type { Db } from "../../src/database/client.ts";
import { StartupError } from "../../src/util/startup-error.ts";

/** The arguments of a verb about one user. */
export type OfUser = { readonly userId: string; readonly json: boolean };

/** Finds a user that is not deleted. */
export async function requireUser(db: Db, userId: string) {
  const user = await db.user.findFirst({ where: { id: userId, deletedAt: null } });
  if (user === null) throw new StartupError(`There is no user ${userId}.`);
  return user;
}
