import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { exportJWK, generateKeyPair } from "jose";
import { readConfig, type Config } from "../../src/config.ts";
import { findingsOf, type Checks } from "../../scripts/doctor/finding.ts";
import { keyChecks } from "../../scripts/doctor/keys.ts";
import { machineChecks } from "../../scripts/doctor/machine.ts";
import { settingsChecks } from "../../scripts/doctor/settings.ts";
import { webhookChecks } from "../../scripts/doctor/webhooks.ts";
import { startKeyServer } from "../support/key-server.ts";
import { temporaryFolder } from "../support/media.ts";
import type { Settings } from "../support/processes.ts";
import { expectReadable, found } from "./support/doctor.ts";

/** Checks that need no database. The others, and the command, are in doctor.slow.test.ts. */
const ALL: Checks<Config> = { ...settingsChecks, ...machineChecks, ...webhookChecks, ...keyChecks };

const RANDOM = "J4x0vN8mQz2rTb6yLw9eKs3uHd5gPc7a";
const PRODUCTION = { NODE_ENV: "production", DATABASE_URL: "postgresql://db.example/plumb", CURSOR_SECRETS: RANDOM };
const DEVELOPMENT = { NODE_ENV: "development", DATABASE_URL: "" };
const EVERYWHERE = { ...DEVELOPMENT, HOST: "0.0.0.0" };
const PROXIED = { PUBLIC_URL: "https://plumb.example" };
const NO_FFMPEG = { PATH: "/nowhere", ROLE: "all" };
const FULL = { MIN_FREE_BYTES: String(2 ** 50) };

/** What a check says about settings in addition to those of production; null if it doesn't apply. */
async function finding(check: string, settings: Settings) {
  for await (const it of findingsOf({ [check]: ALL[check]! }, readConfig({ ...PRODUCTION, ...settings }))) {
    expectReadable(it);
    return it;
  }
  return null;
}

it.each<[string, Settings, "good" | "warning" | "fault" | null, RegExp?]>([
  ["environment", {}, "good"],
  ["environment", { NODE_ENV: "development" }, "warning"],
  ["environment", DEVELOPMENT, "good"],
  ["cursor_secrets", {}, "good"],
  ["cursor_secrets", { CURSOR_SECRETS: "canary-secret-of-the-team" }, "warning", /openssl rand/],
  ["cursor_secrets", { CURSOR_SECRETS: `${RANDOM},the-secret-of-the-team` }, "warning"],
  ["cursor_secrets", { CURSOR_SECRETS: "abcdefghi".repeat(2) }, "warning"],
  ["cursor_secrets", { CURSOR_SECRETS: "abcdefghij".repeat(2) }, "good"],
  ["public_url", {}, "warning"],
  ["public_url", PROXIED, "good"],
  ["public_url", { PUBLIC_URL: "http://plumb.example" }, "fault", /use https/],
  ["public_url", { PUBLIC_URL: "http://127.0.0.1:3000" }, "warning"],
  ["public_url", { ROLE: "worker" }, null],
  ["trust_proxy", PROXIED, "warning", /TRUST_PROXY is 0/],
  ["trust_proxy", { ...PROXIED, TRUST_PROXY: "1" }, "good"],
  ["cors", {}, "good"],
  ["cors", { CORS_ORIGINS: "https://app.example" }, "good"],
  ["cors", { CORS_ORIGINS: "https://app.example/" }, "fault", /https:\/\/app\.example\/,/],
  ["cors", { CORS_ORIGINS: "https://app.example,https://other.example/" }, "fault"],
  ["rate_limits", {}, "good"],
  ["rate_limits", { RATE_LIMITS: "off" }, "warning"],
  ["rate_limits", { ...DEVELOPMENT, RATE_LIMITS: "off" }, "good"],
  ["shutdown_delay", {}, "warning"],
  ["shutdown_delay", { SHUTDOWN_DELAY_SECONDS: "1" }, "good"],
  ["shutdown_delay", { ROLE: "worker" }, null],
  ["object_store_connection", { OBJECT_STORE: "s3://videos", S3_ENDPOINT: "http://store.example" }, "warning"],
  ["object_store_connection", { OBJECT_STORE: "s3://videos", S3_ENDPOINT: "https://store.example" }, null],
  ["object_store_connection", { OBJECT_STORE: "s3://videos", S3_ENDPOINT: "http://127.0.0.1:9000" }, null],
  ["webhook_addresses", {}, "good"],
  ["webhook_addresses", { WEBHOOK_PRIVATE_ADDRESSES: "on" }, "warning"],
  ["webhook_addresses", DEVELOPMENT, "good", /only this machine/],
  ["webhook_addresses", EVERYWHERE, "good", /only to https URLs/],
  ["webhook_addresses", { ...EVERYWHERE, WEBHOOK_PRIVATE_ADDRESSES: "on" }, "warning", /every user/],
  ["media_engine", NO_FFMPEG, "warning", /much slower/],
  ["media_engine", { ...NO_FFMPEG, MEDIA_ENGINE: "native" }, "fault", /ffmpeg was not found/],
  ["data_folder", { DATA_DIR: "/dev/null" }, "fault", /is not a folder/],
  ["disk_space", { MIN_FREE_BYTES: "0", MAX_UPLOAD_BYTES: "1" }, "good"],
  ["disk_space", FULL, "fault", /every upload returns 503/],
  ["disk_space", { ...FULL, OBJECT_STORE: "s3://videos", ROLE: "api" }, "good"],
])("plumbline doctor: %s of %j is %j", async (check, settings, level, sentence = /./) => {
  expect(await finding(check, settings)).toEqual(level === null ? null : found(level, sentence));
});

it("plumbline doctor reads every key of the key set, also from a server, and needs one for each algorithm", async () => {
  await using folder = await temporaryFolder();
  await using server = await startKeyServer("hangs up");
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const [ours, secret] = [await exportJWK(publicKey), await exportJWK(privateKey)];
  const file = join(folder.path, "jwks.json");
  const at = (AUTH_JWKS: string, AUTH_ALGORITHMS = "ES256") =>
    finding("jwt_keys", { AUTH_JWKS, AUTH_ALGORITHMS, AUTH_ISSUER: "https://id.example", AUTH_AUDIENCE: "plumb" });
  const said = async (keys: readonly object[], algorithms?: string) => {
    await writeFile(file, JSON.stringify({ keys }));
    return at(file, algorithms);
  };
  expect(await said([ours])).toEqual(found("good", /./));
  expect(await said([ours], "ES256,EdDSA,RS256")).toEqual(found("warning", /no key for EdDSA, RS256/));
  expect(await said([ours], "EdDSA")).toEqual(found("fault", /every JWT is refused/));
  expect(await said([{ ...ours, use: "enc" }])).toEqual(found("fault", /every JWT is refused/));
  expect(await said([ours, secret])).toEqual(found("fault", /contains a private key/));
  expect(await at("/nowhere/jwks.json")).toEqual(found("fault", /ENOENT/));
  expect(await at(server.url)).toEqual(found("fault", /cannot be read/));
  server.answers({ body: JSON.stringify({ keys: [ours] }) });
  expect(await at(server.url)).toEqual(found("good", /./));
  expect(await finding("jwt_keys", {})).toEqual(found("good", /./));
});

it("plumbline doctor finds a proxy for webhooks that is away, refuses the password, or leads to private addresses", async () => {
  let answer = "403 Forbidden\r\nContent-Length: 0";
  const requests: string[] = [];
  const proxy = createServer((socket) => {
    socket
      .on("error", () => undefined)
      .on("data", (bytes) => {
        requests.push(bytes.toString());
        socket.write(`HTTP/1.1 ${answer}\r\n\r\n`);
      });
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const { port } = proxy.address() as AddressInfo;
  const said = (more: Settings = {}) =>
    finding("webhook_proxy", { WEBHOOK_PROXY: `http://someone:canary@127.0.0.1:${port}`, ...more });
  expect(await said()).toEqual(found("good", /./));
  expect(requests[0]).toContain(`CONNECT localhost:${port} `);
  expect(requests[0]).toMatch(new RegExp(`^proxy-authorization: Basic ${btoa("someone:canary")}\r$`, "im"));
  answer = "407 Proxy Authentication Required\r\nContent-Length: 0";
  expect(await said()).toEqual(found("fault", /password/));
  answer = "200 Connection Established";
  expect(await said()).toEqual(found("fault", /localhost/));
  proxy.close();
  await once(proxy, "close");
  expect(await said()).toEqual(found("fault", /cannot be used/));
  expect(await said({ ROLE: "api" })).toBeNull();
});
