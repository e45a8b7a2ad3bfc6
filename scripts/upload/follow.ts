import { setTimeout as delay } from "node:timers/promises";
import { secondsOf, type Api, type VideoUpload } from "./api.ts";
import { withRetries } from "./retry.ts";

type Options = {
  readonly url: string;
  readonly signal: AbortSignal;
  onChange(job: VideoUpload): void;
  onRetry(reason: string): void;
};

/** Polls a job until it ends, at the interval in `Retry-After`. Calls `onChange` only if the job has changed. */
export async function follow(api: Api, accepted: VideoUpload, { url, signal, onChange, onRetry }: Options): Promise<VideoUpload> {
  let job = accepted;
  let etag: string | null = null;
  while (isUnfinished(job)) {
    const { data, response } = await withRetries({ url, signal, isKnown: true, onRetry }, () =>
      api.GET("/video-uploads/{job_id}", {
        params: { path: { job_id: accepted.id }, header: etag === null ? {} : { "If-None-Match": etag } },
        signal,
      }),
    );
    if (data !== undefined) {
      job = data;
      etag = response.headers.get("etag");
      onChange(job);
    }
    // Even if a proxy has removed `Retry-After`.
    if (isUnfinished(job)) await delay(secondsOf(response) * 1_000, undefined, { signal });
  }
  return job;
}

const isUnfinished = ({ status }: VideoUpload) => status === "queued" || status === "processing";
