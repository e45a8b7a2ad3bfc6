import express from "express";
import { pino } from "pino";
import { scopes } from "#generated/operations.ts";
import { readConfig } from "../../src/config.ts";
import { createApp } from "../../src/http/app.ts";
import { listen } from "../../src/http/listener.ts";
import { readContract } from "../../src/contract/bundle.ts";
import { everyOperation } from "../../src/contract/operations.ts";
import { createRateLimits } from "../../src/limits/rate-limiter.ts";
import { withExampleHeaders } from "./example-headers.ts";
import { mockHandlers } from "./mock-handlers.ts";

export type Mock = { readonly url: string; close(): Promise<void> };

/** Headers that the choice of an example depends on, in addition to those of the contract. */
const ALSO_READ = ["Prefer", "Content-Length"];

/**
 * Starts the HTTP layer of the service with handlers that return examples. It validates requests as the service does,
 * accepts any token, and stores nothing except which jobs have been requested.
 */
export async function startMock(port: number): Promise<Mock> {
  const config = readConfig({ PORT: String(port), LOG_LEVEL: "error", RATE_LIMITS: "off" });
  const contract = readContract();
  const operations = everyOperation.map((it) => ({ ...it, headerParameters: [...it.headerParameters, ...ALSO_READ] }));
  const app = await createApp({
    config,
    documents: { contract },
    operations,
    log: pino({ level: config.LOG_LEVEL }),
    limits: createRateLimits(null, null),
    translators: [],
    handlers: mockHandlers(contract, operations),
    verify: async () => ({
      userId: "019cad9d-67a0-7f04-a2cb-593947eaa099",
      displayName: "Ada Marsh",
      scopes: new Set(scopes),
      credential: { kind: "api_key", keyId: null, expiresAt: null },
    }),
  });
  const listener = await listen(config, contract.info.version);
  const mock = express().disable("x-powered-by");
  mock.use((_req, res, next) => withExampleHeaders(res, next)).use(app);
  listener.serve(mock);
  return { url: `http://${config.HOST}:${listener.port}`, close: () => listener.close() };
}
