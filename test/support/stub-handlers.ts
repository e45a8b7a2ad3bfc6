import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { scopes } from "#generated/operations.ts";
import { readConfig } from "../../src/config.ts";
import { readContract, type Contract } from "../../src/contract/bundle.ts";
import type { Handlers } from "../../src/contract/contract.ts";
import { everyOperation, type Operation } from "../../src/contract/operations.ts";
import { databaseFailure } from "../../src/database/database-failure.ts";
import { createApp } from "../../src/http/app.ts";
import { listen } from "../../src/http/listener.ts";
import { createRateLimits } from "../../src/limits/rate-limiter.ts";
import { NO_OBSERVER } from "../../src/http/request-observer.ts";
import { createRequestLog } from "../../src/observability/request-log.ts";
import type { OnRequestEnd } from "../../src/telemetry/request-record.ts";
import { createClient, type Client } from "./client.ts";

export type StubbedService = { readonly url: string; readonly caller: Client; close(): Promise<void> };

type Options = {
  readonly settings?: Readonly<Record<string, string>>;
  readonly onLogLine?: (line: string) => void;
  /** Called for each request, instead of the log. */
  readonly onRequestEnd?: OnRequestEnd;
  /** Another contract than that of the service, and its operations. */
  readonly contract?: Contract;
  readonly operations?: readonly Operation[];
  /** The example request of `npm start`. */
  readonly demo?: string;
};

/** Starts the real HTTP layer with handlers that all do the same, for example fail in a way that no real handler should. */
export async function startWithHandlers(
  behave: () => Promise<unknown>,
  {
    settings = {},
    onLogLine = () => undefined,
    onRequestEnd,
    contract = readContract(),
    operations = everyOperation,
    demo,
  }: Options = {},
): Promise<StubbedService> {
  const config = readConfig({ NODE_ENV: "test", PORT: "0", ...settings });
  const log = pino({ level: "debug" }, { write: onLogLine });
  const observer = { ...NO_OBSERVER, ended: onRequestEnd ?? createRequestLog(log, 1) };
  const listener = await listen(config, contract.info.version, observer);
  const handlers = Object.fromEntries(operations.map(({ id }) => [id, () => behave()])) as unknown as Handlers;
  const principal = {
    userId: randomUUID(),
    displayName: "Ada",
    scopes: new Set<string>(scopes),
    credential: { kind: "api_key", keyId: null, expiresAt: null },
  } as const;
  listener.serve(
    await createApp({
      config,
      documents: demo === undefined ? { contract } : { contract, demo },
      operations,
      handlers,
      verify: async () => principal,
      limits: createRateLimits(null, null),
      translators: [databaseFailure],
      uploadLimit: "max-size=1",
      log,
      observer,
    }),
  );
  const url = `http://127.0.0.1:${listener.port}`;
  const caller = createClient(url, {
    userId: principal.userId,
    name: "Ada",
    authorization: "Bearer anything",
  });
  return { url, caller, close: () => listener.close() };
}

/** A service that can take one request at a time, and has one that never ends. */
export async function startOverloaded(): Promise<StubbedService> {
  const arrived = Promise.withResolvers<void>();
  const stubbed = await startWithHandlers(
    () => {
      arrived.resolve();
      return new Promise(() => undefined);
    },
    { settings: { MAX_IN_FLIGHT: "1" } },
  );
  const patience = new AbortController();
  const endless = stubbed.caller("GET", "/account", undefined, { signal: patience.signal }).catch(() => undefined);
  await arrived.promise;
  return {
    ...stubbed,
    async close() {
      patience.abort();
      await endless;
      await stubbed.close();
    },
  };
}
