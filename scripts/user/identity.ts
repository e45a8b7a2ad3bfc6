import { isIdentity, linkUser, unlinkUser } from "../../src/auth/identities.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { audit } from "../operations/audit.ts";
import type { Work } from "../operations/parts.ts";
import { requireUser } from "./user.ts";

type Link = { readonly userId: string; readonly subject: string; readonly issuer?: string | undefined };

export const link =
  ({ userId, subject, issuer: given }: Link): Work =>
  async ({ db, config }) => {
    const issuer = given ?? config.AUTH_ISSUER;
    if (issuer === undefined) throw new StartupError("The issuer is missing. Give --issuer, or set AUTH_ISSUER.");
    if (!isIdentity({ issuer, subject })) throw new StartupError("The subject or the issuer is empty, too long or malformed.");
    await requireUser(db, userId);
    await linkUser(db, userId, { issuer, subject });
    await audit({ db, config }, "user.link", { user_id: userId, issuer, subject });
    return `The JWTs of ${subject}, issued by ${issuer}, now belong to user ${userId}.`;
  };

export const unlink =
  ({ userId }: { readonly userId: string }): Work =>
  async ({ db, config }) => {
    await requireUser(db, userId);
    await unlinkUser(db, userId);
    await audit({ db, config }, "user.unlink", { user_id: userId });
    return `No JWTs belong to user ${userId} now. A running service can accept them for 5 more seconds.`;
  };
