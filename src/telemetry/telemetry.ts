import type { IncomingMessage } from "node:http";
import type { Logger } from "pino";

/** What a span and a metric learn of a request that has ended. */
export type TracedRequest = {
  readonly requestId: string;
  /** Null for documents, preflights and unknown paths. `path` is that of the contract. */
  readonly operation: { readonly id: string; readonly path: string } | null;
  /** Null if the client disconnected before the response began. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Why the request was refused. */
  readonly failure: { readonly code: string } | null;
};

export type RequestSpan = {
  readonly traceId: string;
  /** Runs the work so that the spans of its queries are children of this one. */
  run(work: () => void): void;
  end(request: TracedRequest): void;
};

type TracedJob = { readonly queue: string; readonly name: string; readonly id: string; readonly attempt: number };

/** OpenTelemetry, if it is configured. The rest of the service doesn't know the SDK. */
export type Telemetry = {
  beginRequest(req: IncomingMessage): RequestSpan;
  /** The current span, in the form of the header `traceparent`. A job keeps it in its data. Undefined without a span. */
  traceparent(): string | undefined;
  /** Runs a job in a span of the trace that enqueued it. */
  runJob<T>(job: TracedJob, traceparent: unknown, work: () => Promise<T>): Promise<T>;
  /** Logs from now on what goes wrong in the SDK, such as a collector that is away. */
  logTo(log: Logger): void;
  /** Sends what is left, for at most a few seconds. */
  close(): Promise<void>;
};
