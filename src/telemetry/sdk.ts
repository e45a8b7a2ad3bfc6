/**
 * OpenTelemetry with the packages of its SDK. Imported only if it is configured. The instrumented packages are CommonJS, so no loader has
 * to rewrite the modules of the service.
 */
import {
  context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  diag,
  DiagLogLevel,
  metrics,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  ValueType,
  type Attributes,
  type Span,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { HttpInstrumentation } from "@opentelemetry/instrumentation-http";
import { PgInstrumentation } from "@opentelemetry/instrumentation-pg";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { PrismaInstrumentation } from "@prisma/instrumentation";
import type { IncomingMessage } from "node:http";
import type { Logger } from "pino";
import { METHODS, type EndedRequest } from "./request-record.ts";

const NAME = "plumbline";
const FLUSH_TIMEOUT_MS = 3_000;
/** The boundaries of the semantic conventions for seconds. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** For the data of jobs. `OTEL_PROPAGATORS` can set another format for the headers of requests. */
const IN_JOBS = new W3CTraceContextPropagator();

/** Starts the SDK. Its environment variables configure exporters, endpoints and the service name. */
export function startSdk() {
  const sdk = new NodeSDK({
    // The name from the environment replaces this one.
    resource: defaultResource().merge(resourceFromAttributes({ "service.name": NAME })),
    instrumentations: [
      new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true, requestHook: withoutMessages }),
      new PrismaInstrumentation({
        ignoreSpanTypes: ["prisma:client:serialize", "prisma:client:compile", "prisma:client:db_query"],
      }),
      // For S3. The spans of incoming requests are our own: they have the operation, and no paths and queries.
      new HttpInstrumentation({ disableIncomingRequestInstrumentation: true, requireParentforOutgoingSpans: true }),
    ],
  });
  sdk.start();
  return telemetry(() => sdk.shutdown());
}

/** Removes messages of PostgreSQL errors from a span, because they can contain values of a query. */
function withoutMessages(span: Span): void {
  const setStatus = span.setStatus.bind(span);
  span.setStatus = ({ code }) => setStatus({ code });
}

function telemetry(shutDown: () => Promise<void>) {
  return {
    beginRequest: requestSpans(),

    /** The current span as a `traceparent`, for the data of a job. Undefined without a span. */
    traceparent(): string | undefined {
      const carrier: { traceparent?: string } = {};
      IN_JOBS.inject(context.active(), carrier, defaultTextMapSetter);
      return carrier.traceparent;
    },

    runJob,

    /** Logs problems of the SDK, such as an unavailable collector. */
    logTo(log: Logger): void {
      const nothing = () => undefined;
      const warn = (message: string) => log.warn({ reason: message }, "OpenTelemetry reports a problem");
      const logger = { error: warn, warn, info: nothing, debug: nothing, verbose: nothing };
      diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
    },

    /** Sends the buffered data, for at most a few seconds. */
    async close(): Promise<void> {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      // An unavailable collector must not delay the exit of the process.
      using _timer = setTimeout(resolve, FLUSH_TIMEOUT_MS);
      await Promise.race([shutDown().catch(() => undefined), late]);
    },
  };
}

/** Returns a function that begins the span of a request. `end` also records the duration. */
function requestSpans() {
  const tracer = trace.getTracer(NAME);
  const duration = metrics.getMeter(NAME).createHistogram("http.server.request.duration", {
    description: "Duration of requests, by operation.",
    unit: "s",
    valueType: ValueType.DOUBLE,
    advice: { explicitBucketBoundaries: SECONDS },
  });
  return ({ method = "", headers }: IncomingMessage) => {
    const attributes: Attributes = {
      "http.request.method": METHODS.has(method) ? method : "_OTHER",
      "url.scheme": "http",
    };
    // Removed, because baggage of a client would be sent to the object store.
    const parent = propagation.deleteBaggage(propagation.extract(ROOT_CONTEXT, headers));
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
    const active = trace.setSpan(parent, span);
    return {
      traceId: span.spanContext().traceId,
      /** Runs `work` so that the spans of its queries are children of this span. */
      run: (work: () => void) => context.with(active, work),
      end(request: EndedRequest): void {
        const found = { ...attributes, ...attributesOf(request) };
        if (request.operation !== null) span.updateName(request.operation.id);
        if ("error.type" in found) span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttributes({ ...found, "plumbline.request_id": request.requestId });
        span.end();
        duration.record(request.durationMs / 1_000, found, active);
      },
    };
  };
}

type TracedJob = { readonly queue: string; readonly name: string; readonly id: string; readonly attempt: number };

/** Runs a job in a span of the trace that enqueued it. Jobs of earlier versions have no `traceparent`. */
async function runJob<T>({ queue, name, id, attempt }: TracedJob, traceparent: unknown, work: () => Promise<T>): Promise<T> {
  const attributes = {
    "messaging.system": "pg-boss",
    "messaging.operation.type": "process",
    "messaging.destination.name": queue,
    "messaging.message.id": id,
    "plumbline.job": name,
    "plumbline.attempt": attempt,
  };
  const options = { kind: SpanKind.CONSUMER, attributes };
  const parent = IN_JOBS.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter);
  return trace.getTracer(NAME).startActiveSpan(`process ${name}`, options, parent, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setAttribute("error.type", (error as Error).name);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The common attributes of the span and the metric of a request. None comes from the client. */
function attributesOf({ operation, status, failure }: EndedRequest): Attributes {
  const failed = status !== null && status >= 500;
  return {
    ...(operation === null ? {} : { "http.route": operation.path, "plumbline.operation_id": operation.id }),
    ...(status === null ? {} : { "http.response.status_code": status }),
    ...(failed ? { "error.type": failure?.code ?? String(status) } : {}),
  };
}
