import { hash } from "node:crypto";
import { Readable } from "node:stream";
import type { Runner } from "../../database/statement.ts";
import { notFound, orNotFound } from "../../failure.ts";
import type { Cursors } from "../../pagination/cursor.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import type { DownloadedFile, FileSource } from "../download.ts";
import type { StoredResult } from "../store.ts";
import { linkTo, openLink, type LinkTarget, type Permission } from "./links.ts";
import { findPlayable } from "./store.ts";
import { webvttOf } from "./webvtt.ts";

export type PlaybackParts = { readonly pool: Runner; readonly cursors: Cursors; readonly objects: ObjectStore };

const POSTER = "poster.jpg";
const SPRITE = "sprite.jpg";
const WEBVTT = "sprite.vtt";
const fileNameOf = ({ name }: { readonly name: string }) => `${name}.mp4`;

/** The links to all files of a video. */
export function linksTo(cursors: Cursors, jobId: string, permission: Permission) {
  const link = (file: string) => linkTo(cursors, { jobId, file }, permission);
  const renditionOf = (rendition: { readonly name: string }) => link(fileNameOf(rendition));
  return { poster: link(POSTER), sprite: link(SPRITE), webvtt: link(WEBVTT), renditionOf };
}

/** A file to play, its name, and when the permission expires. */
export type PlayableFile = {
  readonly source: FileSource;
  readonly file: DownloadedFile;
  readonly name: string;
  readonly expiresAt: Date;
};

/** Finds the file of a valid link. Reads the row each time, so that a link also ends with its video and its owner. */
export async function findFile(parts: PlaybackParts, target: LinkTarget, token: string): Promise<PlayableFile> {
  const permission = openLink(parts.cursors, target, token);
  const found = await findPlayable(parts.pool, permission.ownerId, target.jobId);
  if (found === null) throw notFound("video");
  const name = `${withoutExtension(found.name ?? "video")}.${target.file}`;
  const { sprite } = found.result;
  const file =
    target.file === WEBVTT && sprite !== undefined
      ? textFile("text/vtt", webvttOf(found.result, sprite, relativeLink(parts.cursors, target.jobId, permission)))
      : storedFile(parts.objects, found.result, target.file);
  return { ...file, name, expiresAt: permission.expiresAt };
}

/** The relative link to the sprite, which works below any prefix. */
function relativeLink(cursors: Cursors, jobId: string, permission: Permission): string {
  const path = linkTo(cursors, { jobId, file: SPRITE }, permission);
  return path.slice(path.lastIndexOf("/") + 1);
}

function storedFile(source: FileSource, { poster, sprite, renditions }: StoredResult, name: string) {
  const files = new Map([[POSTER, poster], [SPRITE, sprite], ...renditions.map((it) => [fileNameOf(it), it] as const)]);
  return { source, file: orNotFound(files.get(name) ?? null, "video") };
}

/** A file that is generated for each request. */
function textFile(contentType: string, text: string): Pick<PlayableFile, "source" | "file"> {
  const bytes = Buffer.from(text);
  const get: FileSource["get"] = async (_key, range) => ({
    stream: Readable.from([range === undefined ? bytes : bytes.subarray(range.start, range.end + 1)]),
  });
  const file = { objectKey: "", contentType, sizeBytes: bytes.length, sha256: hash("sha256", bytes, "hex") };
  return { source: { get }, file };
}

/** Removes a short extension only, so that the end of a sentence stays. */
const withoutExtension = (name: string) => name.replace(/(?<=.)\.[A-Za-z0-9]{1,5}$/, "");
