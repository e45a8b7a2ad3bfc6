import type { Prisma } from "#generated/prisma/client.ts";
import { printAll, type Position } from "../operations/pages.ts";
import type { Work } from "../operations/parts.ts";
import { requireUser, type OfUser } from "./user.ts";

const WITH_KEYS = { include: { apiKeys: { orderBy: { createdAt: "asc" } } } } as const;
type UserRow = Prisma.UserGetPayload<typeof WITH_KEYS>;
type KeyRow = UserRow["apiKeys"][number];

function statusOf({ revokedAt, expiresAt }: KeyRow): string {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= new Date() ? "expired" : "valid";
}

const toJson = (it: UserRow) => ({
  user_id: it.id,
  display_name: it.displayName,
  issuer: it.issuer,
  subject: it.subject,
  api_keys: it.apiKeys.map((key) => ({ id: key.id, scopes: key.scopes, status: statusOf(key), expires_at: key.expiresAt })),
});

const lineOfKey = (key: KeyRow) => {
  const until = statusOf(key) === "valid" && key.expiresAt !== null ? ` until ${key.expiresAt.toISOString()}` : "";
  return `  plumb_${key.id}_…  ${statusOf(key)}${until}  ${key.scopes.join(" ")}`;
};

const linesOf = (it: UserRow) =>
  [
    `${it.id}  ${it.displayName}`,
    // A subject can have several lines.
    ...(it.subject === null ? [] : [`  JWTs of ${it.subject.replaceAll("\n", "\\n")}, issued by ${it.issuer}`]),
    ...it.apiKeys.map(lineOfKey),
  ].join("\n");

export const list =
  ({ json, ...position }: Position & { readonly json: boolean }): Work =>
  async ({ db }) => {
    const find = (after: string | null, take: number) =>
      db.user.findMany({
        where: { deletedAt: null, ...(after === null ? {} : { id: { gt: after } }) },
        orderBy: { id: "asc" },
        take,
        ...WITH_KEYS,
      });
    const printed = await printAll(find, (it) => (json ? JSON.stringify(toJson(it)) : linesOf(it)), position);
    return printed === 0 && !json ? "There are no users." : undefined;
  };

export const show =
  ({ userId, json }: OfUser): Work =>
  async ({ db }) => {
    const { createdAt } = await requireUser(db, userId);
    const user = await db.user.findUniqueOrThrow({ where: { id: userId }, ...WITH_KEYS });
    const usage = await db.storageUsage.findUnique({ where: { userId } });
    const storedBytes = Number(usage?.sizeBytes ?? 0);
    if (json) return JSON.stringify({ ...toJson(user), created_at: createdAt, stored_bytes: storedBytes });
    return `${linesOf(user)}\n  created ${createdAt.toISOString()}\n  stores ${storedBytes} bytes of videos`;
  };
