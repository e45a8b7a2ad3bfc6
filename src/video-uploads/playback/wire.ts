import type { Schemas } from "../../contract/contract.ts";
import type { StoredFile, StoredResult } from "../store.ts";

type Rendition = StoredResult["renditions"][number];
/** The paths of the links to the files of a result. */
export type Links = { readonly poster: string; readonly renditionOf: (rendition: Rendition) => string };

export const toPlayback = ({ poster, renditions }: StoredResult, expiresAt: Date, links: Links): Schemas["Playback"] => ({
  expires_at: expiresAt.toISOString(),
  poster: { ...toFile(poster), href: links.poster },
  renditions: renditions.map((it) => ({
    name: it.name,
    duration_ms: it.durationMs,
    ...toFile(it),
    href: links.renditionOf(it),
  })),
});

const toFile = ({ contentType, width, height, sizeBytes }: StoredFile) => ({
  content_type: contentType,
  width,
  height,
  size_bytes: sizeBytes,
});
