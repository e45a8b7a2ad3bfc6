import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { Body } from "../../support/client.ts";

type Attributes = readonly { readonly key: string; readonly value: object }[];

export type ReceivedSpan = {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly status?: { readonly code?: number; readonly message?: string };
  readonly service: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
};

export type Collector = Awaited<ReturnType<typeof startCollector>>;

const valuesOf = (attributes: Attributes = []) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as unknown]));

/** Starts a server that receives OTLP in JSON, as a collector does. With `answer` "never", it accepts connections and never responds. */
export async function startCollector({ answer = "at once" } = {}) {
  const payloads: Body[] = [];
  const server = createServer((req, res) => {
    void json(req).then((payload) => {
      payloads.push(payload);
      if (answer === "at once") res.writeHead(200, { "Content-Type": "application/json" }).end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    /** Make a service send to it. */
    settings: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "100",
      OTEL_METRIC_EXPORT_INTERVAL: "500",
      OTEL_METRIC_EXPORT_TIMEOUT: "400",
    },
    spans: () =>
      payloads
        .flatMap((it) => (it.resourceSpans ?? []) as Body[])
        .flatMap(({ resource, scopeSpans }) => {
          const service = valuesOf(resource.attributes)["service.name"];
          const spans = scopeSpans.flatMap((it: Body) => it.spans) as Body[];
          return spans.map((span): ReceivedSpan => ({ ...span, service, attributes: valuesOf(span.attributes) }));
        }),
    /** The numbers of requests in `http.server.request.duration`, each with its attributes. */
    requestCounts: () =>
      payloads
        .flatMap((it) => (it.resourceMetrics ?? []) as Body[])
        .flatMap((it) => it.scopeMetrics.flatMap((scope: Body) => scope.metrics) as Body[])
        .filter(({ name }) => name === "http.server.request.duration")
        .flatMap(({ histogram }) => (histogram?.dataPoints ?? []) as Body[])
        .map(({ count, attributes }): Record<string, unknown> => ({ count: Number(count), ...valuesOf(attributes) })),
    /** Everything that it has received. */
    text: () => JSON.stringify(payloads),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
