import { accessSync, constants, existsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Config } from "../../src/config.ts";
import { findEngine } from "../../src/media/engine.ts";
import { fault, good, warning, type Checks } from "./finding.ts";

/** The nearest existing parent of a path, because the first start creates the folder. */
const existing = (path: string): string => (existsSync(path) ? path : existing(dirname(path)));
const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

/** Checks of the machine that the service runs on. */
export const machineChecks: Checks<Config> = {
  data_folder({ DATA_DIR }) {
    const [path, found] = [resolve(DATA_DIR), existing(resolve(DATA_DIR))];
    if (!statSync(found).isDirectory()) return fault(`${found} is not a folder, and DATA_DIR needs one there.`);
    try {
      accessSync(found, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch {
      return fault(`This user cannot write to ${found}, which DATA_DIR needs; change its owner or DATA_DIR.`);
    }
    return good(found === path ? `DATA_DIR is ${path}.` : `DATA_DIR is ${path}, which the first start creates.`);
  },

  async disk_space({ DATA_DIR, ROLE, OBJECT_STORE, MIN_FREE_BYTES, MAX_UPLOAD_BYTES: upload }) {
    const { bavail, bsize } = await statfs(existing(resolve(DATA_DIR)));
    const freeBytes = bavail * bsize;
    const free = `The disk of DATA_DIR has ${gib(freeBytes)} left`;
    const min = OBJECT_STORE === "file" || ROLE !== "api" ? MIN_FREE_BYTES : 0;
    const effect = OBJECT_STORE === "file" ? "every upload returns 503" : "no video is processed";
    if (freeBytes < min) return fault(`${free}, which is less than MIN_FREE_BYTES (${gib(min)}), so ${effect}; free some space.`);
    if (freeBytes < min + upload)
      return warning(`${free}, so there is too little space for a video of MAX_UPLOAD_BYTES (${gib(upload)}).`);
    return good(`${free}.`);
  },

  media_engine({ NODE_ENV, ROLE, MEDIA_ENGINE: mode, FFMPEG_PATH: ffmpegPath, PATH: searchPath }) {
    if (ROLE === "api") return null;
    const { kind, description, sandbox } = findEngine({ mode, ffmpegPath, searchPath });
    if (kind === "wasm" && mode === "auto" && NODE_ENV === "production")
      return warning(
        "There is no usable ffmpeg, so videos are processed by its WebAssembly build, which is much slower; install ffmpeg, or set MEDIA_ENGINE=wasm if you intend this.",
      );
    if (sandbox.missing.length === 0) return good(`The media engine is ${description}, with all parts of its sandbox.`);
    return warning(
      `The media engine (${description}) runs with a part of its sandbox only. It lacks: ${sandbox.missing.join("; ")}. Install util-linux, allow its tools, or run workers in a container that reaches only the database, the object store, and the proxy for webhooks.`,
    );
  },
};
