import type { Schemas } from "../../src/contract/contract.ts";
import { createCursors } from "../../src/pagination/cursor.ts";
import { linkTo, type LinkTarget, type Permission } from "../../src/video-uploads/playback/links.ts";
import type { Client } from "./client.ts";

/** The secret of services in whose name a test makes links. */
export const LINK_SECRET = "a secret for playback links";

/** A link as a service with this secret makes it, with any expiry. */
export const linkWith = (target: LinkTarget, permission: Permission, secret = LINK_SECRET): string =>
  linkTo(createCursors([secret]), target, permission);

/** Asks for the links to a video of the client. */
export async function playbackOf(client: Client, jobId: string, seconds?: number): Promise<Schemas["Playback"]> {
  const body = seconds === undefined ? {} : { expires_in_seconds: seconds };
  const answer = await client("POST", `/video-uploads/${jobId}/playback`, body);
  if (answer.status !== 201) throw new Error(`There are no links: ${answer.text}`);
  return answer.body as Schemas["Playback"];
}
