import type { Schemas } from "../../contract/contract.ts";
import type { StoredResult, StoredSprite } from "../store.ts";
import { toFile, toSprite } from "../wire.ts";

type Rendition = StoredResult["renditions"][number];
/** The links to the files of a result. */
export type Links = {
  readonly poster: string;
  readonly sprite: string;
  readonly webvtt: string;
  readonly renditionOf: (rendition: Rendition) => string;
};

type Playback = Schemas["Playback"];
export const toPlayback = ({ poster, sprite, renditions }: StoredResult, expiresAt: Date, links: Links): Playback => ({
  expires_at: expiresAt.toISOString(),
  poster: { ...toFile(poster), href: links.poster },
  sprite: sprite === undefined ? null : toPlaybackSprite(sprite, links),
  renditions: renditions.map((it) => ({
    name: it.name,
    duration_ms: it.durationMs,
    ...toFile(it),
    href: links.renditionOf(it),
  })),
});

const toPlaybackSprite = (sprite: StoredSprite, links: Links) => ({
  ...toSprite(sprite),
  href: links.sprite,
  webvtt: { content_type: "text/vtt", href: links.webvtt },
});
