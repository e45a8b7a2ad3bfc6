import { UsageError } from "../../src/util/command.ts";
import { isIdentity, linkUser, unlinkUser } from "../../src/auth/identities.ts";
import { idIn } from "../operations/arguments.ts";
import { audit } from "../operations/audit.ts";
import { requireUser, type Command } from "./command.ts";

export const link: Command = (argument, { issuer, subject }) => {
  const userId = idIn(argument);
  if (issuer === undefined || subject === undefined || !isIdentity({ issuer, subject })) throw new UsageError();
  return async ({ db, config }) => {
    await requireUser(db, userId);
    await linkUser(db, userId, { issuer, subject });
    await audit({ db, config }, "user.link", { user_id: userId, issuer, subject });
    return `The JWTs of ${subject}, issued by ${issuer}, now belong to user ${userId}.`;
  };
};

export const unlink: Command = (argument) => {
  const userId = idIn(argument);
  return async ({ db, config }) => {
    await requireUser(db, userId);
    await unlinkUser(db, userId);
    await audit({ db, config }, "user.unlink", { user_id: userId });
    return `No JWTs belong to user ${userId} now. A running service can accept them for 5 more seconds.`;
  };
};
