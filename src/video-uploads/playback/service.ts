import type { Runner } from "../../database/statement.ts";
import { notFound, orNotFound } from "../../failure.ts";
import type { Cursors } from "../../lists/cursor.ts";
import type { StoredFile, StoredResult } from "../store.ts";
import { linkTo, openLink, type LinkTarget, type Permission } from "./links.ts";
import { findPlayable } from "./store.ts";

export type PlaybackParts = { readonly pool: Runner; readonly cursors: Cursors };

const POSTER = "poster.jpg";
const fileNameOf = ({ name }: { readonly name: string }) => `${name}.mp4`;

/** The files of a result, by their names in links. */
const filesOf = ({ poster, renditions }: StoredResult): ReadonlyMap<string, StoredFile> =>
  new Map([[POSTER, poster], ...renditions.map((it) => [fileNameOf(it), it] as const)]);

/** The links to all files of a video. */
export function linksTo(cursors: Cursors, jobId: string, permission: Permission) {
  const link = (file: string) => linkTo(cursors, { jobId, file }, permission);
  return { poster: link(POSTER), renditionOf: (rendition: { readonly name: string }) => link(fileNameOf(rendition)) };
}

/** A file to play, the name to save it under, and until when that is permitted. */
export type PlayableFile = { readonly file: StoredFile; readonly name: string; readonly expiresAt: Date };

/**
 * Finds the file that a link leads to, if the link is valid now. Reads the row each time, so that a link ends with its video and
 * with the owner.
 */
export async function findFile({ pool, cursors }: PlaybackParts, target: LinkTarget, token: string): Promise<PlayableFile> {
  const { ownerId, expiresAt } = openLink(cursors, target, token);
  const found = await findPlayable(pool, ownerId, target.jobId);
  if (found === null) throw notFound("video");
  const file = orNotFound(filesOf(found.result).get(target.file) ?? null, "video");
  return { file, name: `${withoutExtension(found.name ?? "video")}.${target.file}`, expiresAt };
}

/** An extension is short, so that the end of a sentence is none. */
const withoutExtension = (name: string) => name.replace(/(?<=.)\.[A-Za-z0-9]{1,5}$/, "");
