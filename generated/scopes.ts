// Generated: do not edit, run `npm run generate`.

/** What a credential can permit. */
export const scopes = [
  "urls:read",
  "urls:write",
  "notifications:read",
  "notifications:write",
  "video_uploads:read",
  "video_uploads:write",
  "conversations:read",
  "conversations:write",
  "posts:read",
  "posts:write"
] as const;

export type Scope = (typeof scopes)[number];
