import type { Handlers, Input } from "../contract/contract.ts";
import { orNotFound } from "../failure.ts";
import { download } from "./download.ts";
import { readOriginal, readResult, type OriginalParts } from "./service.ts";
import type { StoredFile, StoredResult } from "./store.ts";

type DownloadInput = Pick<Input<"getVideoPoster">, "principal" | "path" | "header">;

export function downloadHandlers(
  parts: OriginalParts,
): Pick<Handlers, "getVideoPoster" | "getVideoRendition" | "getVideoOriginal"> {
  const { db, objects } = parts;
  const sendFile = async ({ principal, path, header }: DownloadInput, fileOf: (result: StoredResult) => StoredFile) => {
    const find = async () => fileOf(await readResult(db, principal.userId, path.job_id));
    return download(objects, await find(), header, { requireRow: find });
  };
  return {
    getVideoPoster: (input) => sendFile(input, ({ poster }) => poster),

    getVideoRendition: (input) =>
      sendFile(input, ({ renditions }) => orNotFound(renditions.find((it) => it.name === input.path.name) ?? null, "rendition")),

    async getVideoOriginal({ principal, path, header }) {
      const { name, ...original } = await readOriginal(parts, principal.userId, path.job_id);
      const file = { ...original, contentType: "application/octet-stream" };
      const requireRow = () => readOriginal(parts, principal.userId, path.job_id);
      return download(objects, file, header, { requireRow, shownAs: { type: "attachment", name: name ?? "video" } });
    },
  };
}
