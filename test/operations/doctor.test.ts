import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { exportJWK, generateKeyPair } from "jose";
import { readConfig, type Config } from "../../src/config.ts";
import { findingsOf, type Checks } from "../../scripts/doctor/finding.ts";
import { keyChecks } from "../../scripts/doctor/keys.ts";
import { machineChecks } from "../../scripts/doctor/machine.ts";
import { settingsChecks } from "../../scripts/doctor/settings.ts";
import { webhookChecks } from "../../scripts/doctor/webhooks.ts";
import { temporaryFolder } from "../support/media.ts";
import type { Settings } from "../support/processes.ts";

/** Checks that need no database. The others, and the command, are in doctor.slow.test.ts. */
const ALL: Checks<Config> = { ...settingsChecks, ...machineChecks, ...webhookChecks, ...keyChecks };

const RANDOM = "J4x0vN8mQz2rTb6yLw9eKs3uHd5gPc7a";
const PRODUCTION = { NODE_ENV: "production", DATABASE_URL: "postgresql://db.example/plumb", CURSOR_SECRETS: RANDOM };
const DEVELOPMENT = { NODE_ENV: "development", DATABASE_URL: "" };

/** What a check says about settings in addition to those of production; null if it doesn't apply. */
async function levelOf(check: string, settings: Settings): Promise<string | null> {
  for await (const it of findingsOf({ [check]: ALL[check]! }, readConfig({ ...PRODUCTION, ...settings }))) return it.level;
  return null;
}

it.each<[string, Settings, string | null]>([
  ["environment", {}, "good"],
  ["environment", { NODE_ENV: "development" }, "warning"],
  ["environment", DEVELOPMENT, "good"],
  ["cursor_secrets", {}, "good"],
  ["cursor_secrets", { CURSOR_SECRETS: "the-secret-of-the-team" }, "warning"],
  ["cursor_secrets", { CURSOR_SECRETS: `${RANDOM},the-secret-of-the-team` }, "warning"],
  ["cursor_secrets", { CURSOR_SECRETS: "abcdefghi".repeat(2) }, "warning"],
  ["cursor_secrets", { CURSOR_SECRETS: "abcdefghij".repeat(2) }, "good"],
  ["public_url", {}, "warning"],
  ["public_url", { PUBLIC_URL: "https://plumb.example" }, "good"],
  ["public_url", { PUBLIC_URL: "http://plumb.example" }, "fault"],
  ["public_url", { PUBLIC_URL: "http://127.0.0.1:3000" }, "warning"],
  ["public_url", { ROLE: "worker" }, null],
  ["trust_proxy", { PUBLIC_URL: "https://plumb.example" }, "warning"],
  ["trust_proxy", { PUBLIC_URL: "https://plumb.example", TRUST_PROXY: "1" }, "good"],
  ["cors", {}, "good"],
  ["cors", { CORS_ORIGINS: "https://app.example" }, "good"],
  ["cors", { CORS_ORIGINS: "https://app.example/" }, "fault"],
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
  ["webhook_addresses", DEVELOPMENT, "good"],
  ["disk_space", { MIN_FREE_BYTES: "0", MAX_UPLOAD_BYTES: "1" }, "good"],
  ["disk_space", { MIN_FREE_BYTES: String(2 ** 50) }, "fault"],
  ["disk_space", { MIN_FREE_BYTES: String(2 ** 50), OBJECT_STORE: "s3://videos", ROLE: "api" }, "good"],
])("plumbline doctor: %s of %j is %j", async (check, settings, level) => {
  expect(await levelOf(check, settings)).toBe(level);
});

it("plumbline doctor reads every key of the key set, and needs one for each algorithm", async () => {
  await using folder = await temporaryFolder();
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const [ours, secret] = [await exportJWK(publicKey), await exportJWK(privateKey)];
  const AUTH_JWKS = join(folder.path, "jwks.json");
  const said = async (keys: readonly object[], algorithms: string) => {
    await writeFile(AUTH_JWKS, JSON.stringify({ keys }));
    const auth = { AUTH_ISSUER: "https://id.example", AUTH_AUDIENCE: "plumb", AUTH_ALGORITHMS: algorithms };
    return levelOf("jwt_keys", { AUTH_JWKS, ...auth });
  };
  expect(await said([ours], "ES256")).toBe("good");
  expect(await said([ours], "ES256,EdDSA")).toBe("warning");
  expect(await said([ours], "EdDSA")).toBe("fault");
  expect(await said([{ ...ours, use: "enc" }], "ES256")).toBe("fault");
  expect(await said([ours, secret], "ES256")).toBe("fault");
  expect(await levelOf("jwt_keys", {})).toBe("good");
});
