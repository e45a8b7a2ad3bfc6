import { access, constants, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { styleText } from "node:util";
import type { Demo } from "../../src/demo/demo.ts";
import { publishedUrl } from "../../src/util/service-url.ts";
import { createApi, refusal, unreachable, UploadError, type Api, type VideoUpload } from "./api.ts";
import { follow } from "./follow.ts";
import { createProgress, sizeText, type Progress } from "./progress.ts";
import { send } from "./send.ts";

const DEFAULT_URL = "http://127.0.0.1:3000";
const CANCELLED = 130;

type Options = {
  readonly file: string;
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly key?: string | undefined;
};

/** Uploads the file, follows the job and prints the result. Returns the exit code. */
export async function upload({ file: path, ...values }: Options): Promise<number> {
  const dataDir = process.env["DATA_DIR"] || ".data";
  const url = (values.url ?? (await publishedUrl(dataDir)) ?? DEFAULT_URL).replace(/\/+$/, "");
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) throw new UploadError(`${url} is not the URL of a service.`);
  const file = { path, name: values.name ?? basename(path), sizeBytes: await sizeOf(path) };
  const api = createApi(url, values.key ?? process.env["PLUMBLINE_KEY"] ?? (await demoKey(dataDir)));

  const progress = createProgress(process.stderr);
  const stopping = new AbortController();
  // Each handler runs only once, so that a second Ctrl-C ends the process at once.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort());
  let accepted: VideoUpload | null = null;
  try {
    const shared = { url, signal: stopping.signal, onRetry: (reason: string) => progress.note(`${reason}; trying again.`) };
    accepted = await send(api, file, { ...shared, onProgress: uploading(progress, file.sizeBytes) });
    stopping.signal.throwIfAborted();
    const job = await follow(api, accepted, { ...shared, onChange: processing(progress) });
    progress.clear();
    return printResult(url, file.name, job);
  } catch (error) {
    progress.clear();
    if (!stopping.signal.aborted) throw error;
    return await cancel(api, url, accepted);
  }
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new UploadError(`There is no file ${path}.`);
  if (!found.isFile()) throw new UploadError(`${path} is not a file.`);
  await access(path, constants.R_OK).catch(() => {
    throw new UploadError(`${path} can't be read.`);
  });
  return found.size;
}

async function demoKey(dataDir: string): Promise<string> {
  try {
    const { users } = JSON.parse(await readFile(join(dataDir, "demo.json"), "utf8")) as Demo;
    return users[0]!.api_key;
  } catch {
    throw new UploadError(
      `There is no API key. Set --key or PLUMBLINE_KEY, or start the service once, which creates a demo user in ${dataDir}.`,
    );
  }
}

function uploading(progress: Progress, sizeBytes: number): (sentBytes: number) => void {
  const startedMs = performance.now();
  return (sentBytes) => {
    const bytesPerSecond = sentBytes / ((performance.now() - startedMs) / 1_000);
    progress.show(
      "uploading",
      (sentBytes / sizeBytes) * 100,
      `${sizeText(sentBytes)} of ${sizeText(sizeBytes)}, ${sizeText(bytesPerSecond)}/s`,
    );
  };
}

function processing(progress: Progress): (job: VideoUpload) => void {
  return ({ status, attempt, progress: { stage, percent } }) => {
    if (status === "queued" || status === "processing")
      progress.show(stage ?? status, percent, attempt > 1 ? `attempt ${attempt}` : "");
  };
}

/** Prints how the job ended: the result to stdout, a failure to stderr. */
function printResult(url: string, name: string, job: VideoUpload): number {
  if (job.status !== "succeeded" || job.result === null) {
    console.error(
      `${styleText("red", "✗", { stream: process.stderr })} ${name} failed: ${job.error?.detail} (${job.error?.code})`,
    );
    return 1;
  }
  const { container, width, height, duration_ms, video_codec, audio_codec, poster, renditions } = job.result;
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
  const fileRow = (label: string, it: typeof poster) => [
    label,
    `${it.width}×${it.height}, ${sizeText(it.size_bytes)}`.padEnd(22),
    new URL(it.href, url).href,
  ];
  const rows = [
    ["id", job.id],
    [
      "video",
      `${container}, ${width}×${height}, ${seconds(duration_ms)}, ${video_codec} ${audio_codec === null ? "without sound" : `with ${audio_codec}`}`,
    ],
    fileRow("poster", poster),
    ...renditions.map((it) => fileRow(it.name, it)),
  ];
  const tookMs = Date.parse(job.finished_at ?? "") - Date.parse(job.created_at);
  console.log(`${styleText("green", "✓", { stream: process.stdout })} ${name} succeeded after ${seconds(tookMs)}`);
  for (const [label = "", ...cells] of rows)
    console.log(`  ${styleText("dim", label.padEnd(8), { stream: process.stdout })} ${cells.join("  ")}`);
  return 0;
}

async function cancel(api: Api, url: string, job: VideoUpload | null): Promise<number> {
  if (job !== null) {
    const { response, error } = await api
      .DELETE("/video-uploads/{job_id}", { params: { path: { job_id: job.id } } })
      .catch((reason: unknown) => {
        throw unreachable(url, reason);
      });
    if (!response.ok && response.status !== 404) throw refusal(response, error);
  }
  console.error(job === null ? "Cancelled before the upload was complete." : "Cancelled; the upload was deleted.");
  return CANCELLED;
}
