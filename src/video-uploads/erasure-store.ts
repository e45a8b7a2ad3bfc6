import type { Tx } from "../database/client.ts";

/** Some of the uploads of a user, complete ones and others. */
export async function findUploadsOf(tx: Tx, userId: string, take: number) {
  const [where, select] = [{ ownerId: userId }, { id: true }] as const;
  const partials = await tx.partialUpload.findMany({ where, select, take });
  const uploads = await tx.videoUpload.findMany({ where, select, take });
  return { partials: partials.map((it) => it.id), uploads: uploads.map((it) => it.id) };
}
