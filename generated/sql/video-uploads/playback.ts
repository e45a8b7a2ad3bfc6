// Generated: do not edit, run `npm run generate`. From src/video-uploads/playback/store.sql.

import { one } from "../../../src/database/statement.ts";

export type FindPlayableParameters = {
  readonly id: string;
  readonly ownerId: string;
};
export type FindPlayableRow = {
  readonly name: string | null;
  readonly result: unknown | null;
};
/** The result of a user's upload that has succeeded, with its name. Nothing once the deletion of the user has begun. */
export const findPlayable = one<FindPlayableParameters, FindPlayableRow>({
  name: "find_playable",
  text: `SELECT upload.name, upload.result FROM video_uploads upload JOIN users owner ON owner.id = upload.owner_id
WHERE upload.id = $1 AND upload.owner_id = $2 AND upload.status = 'succeeded' AND owner.deleted_at IS NULL`,
  values: (it) => [it.id, it.ownerId],
  columns: ["varchar", "jsonb"],
  row: (it) => ({ name: it[0], result: it[1] }) as FindPlayableRow,
});
