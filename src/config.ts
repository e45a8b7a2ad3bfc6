import ipaddr from "ipaddr.js";
import { z } from "zod";
import type { RatePolicy } from "#generated/operations.ts";
import { StartupError } from "./startup-error.ts";

/** A client that sends or reads less than this within `IDLE_TIMEOUT_SECONDS` holds a connection for nothing. */
export const MIN_PROGRESS_BYTES = 64 * 1024;

const httpUrl = z.url({ protocol: /^https?$/ });
const databaseUrl = z.string().regex(/^postgres(ql)?:\/\/\S+$/, "is a postgresql:// URL");
/** The first is the default. */
const oneOf = <T extends string>(fallback: T, ...others: T[]) => z.enum([fallback, ...others]).default(fallback as never);
const count = (min: number, max: number, fallback: number) => z.coerce.number().int().min(min).max(max).default(fallback);
const list = z.string().transform((given) => given.split(/[\s,]+/).filter((part) => part !== ""));

/** Keys that come over a network without TLS could be anybody's; those of this machine do not cross one. */
function isFileOrSafeUrl(source: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) return true;
  const url = URL.parse(source);
  if (url === null) return false;
  if (url.protocol === "https:") return true;
  const host = url.hostname.replaceAll(/[[\]]/g, "");
  return (
    url.protocol === "http:" && (host === "localhost" || (ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback"))
  );
}

/** Links are made by putting paths behind it. What is no URL at all has been said already. */
const isAddressOfService = (url: URL | null): boolean =>
  url === null ||
  (`${url.username}${url.password}${url.search}${url.hash}` === "" && /^(\/[A-Za-z0-9._~-]{1,40}){0,3}\/?$/.test(url.pathname));

/** One rate: so many requests in so many seconds. */
export type Rate = { readonly quota: number; readonly windowSeconds: number };
/** The quotas of the contract, and that of wrong tokens. */
export type RateName = RatePolicy | "failed_authentication";
export type Rates = Readonly<Record<RateName, Rate>>;

const DEFAULT_RATES: Rates = {
  default: { quota: 600, windowSeconds: 60 },
  writes: { quota: 120, windowSeconds: 60 },
  uploads: { quota: 60, windowSeconds: 3600 },
  follow: { quota: 1200, windowSeconds: 60 },
  failed_authentication: { quota: 30, windowSeconds: 60 },
};

/** `off`, or changes to the defaults such as `writes=1000/60,uploads=10/3600`. */
const rates = z.string().transform((text, context): Rates | null => {
  if (text === "off") return null;
  const changed: Record<string, Rate> = { ...DEFAULT_RATES };
  for (const part of text.split(",").filter((it) => it !== "")) {
    const match = /^([a-z_]+)=([1-9]\d{0,8})\/([1-9]\d{0,5})$/.exec(part.trim());
    if (match === null || !(match[1]! in DEFAULT_RATES)) {
      context.addIssue({
        code: "custom",
        message: `is "off" or a list such as writes=120/60, with the policies ${Object.keys(DEFAULT_RATES).join(", ")}`,
      });
      return null;
    }
    changed[match[1]!] = { quota: Number(match[2]), windowSeconds: Number(match[3]) };
  }
  return changed as Rates;
});

const SECRET_LENGTH_MIN = 16;
const SECRETS_MAX = 16;

/** Secrets between commas. None is ever part of a message. */
const secrets = z.string().transform((text, context) => {
  const all = text.split(",").map((part) => part.trim());
  const refuse = (message: string) => context.addIssue({ code: "custom", message });
  if (all.includes("")) refuse("has an empty secret; separate secrets by one comma, with none at either end");
  else if (all.some((it) => it.length < SECRET_LENGTH_MIN)) refuse(`has secrets of at least ${SECRET_LENGTH_MIN} characters`);
  if (new Set(all).size < all.length) refuse("has a secret twice");
  if (all.length > SECRETS_MAX) refuse(`has at most ${SECRETS_MAX} secrets`);
  return all;
});

/**
 * Every setting, its default and its meaning. The README's table is made of these descriptions and a test compares the
 * two; a name that is not here is ignored.
 */
export const settings = z
  .object({
    NODE_ENV: oneOf("development", "production", "test").describe(
      "`production` asks for `DATABASE_URL` and `CURSOR_SECRETS` and never creates demo data.",
    ),
    ROLE: oneOf("all", "api", "worker").describe("What this process does: answer requests, run video jobs, or both."),
    HOST: z.string().default("127.0.0.1").describe("Address to listen on; `0.0.0.0` in a container."),
    PORT: count(0, 65_535, 3000).describe("Port to listen on; `0` picks a free one."),
    PUBLIC_URL: httpUrl
      .refine(
        (url) => isAddressOfService(URL.parse(url)),
        "is an address with at most a path of plain names, such as https://example.com/plumb",
      )
      .transform((url) => url.replace(/\/+$/, ""))
      .optional()
      .describe(
        "Address that clients see, used in short URLs. A path in it is the prefix that a proxy in front strips; all links begin with it. Default: the address listened on.",
      ),
    DATABASE_URL: databaseUrl
      .optional()
      .describe("An existing PostgreSQL (14 or newer). Default: the embedded one in `DATA_DIR`."),
    DIRECT_DATABASE_URL: databaseUrl
      .optional()
      .describe("The same database without the pooler that `DATABASE_URL` leads through; migrations and the job queue need it."),
    PREPARED_STATEMENTS: oneOf("auto", "on", "off").describe(
      "Whether statements are prepared under names. `auto`: not behind a pooler, which may not know them (PgBouncer below 1.21).",
    ),
    DATA_DIR: z.string().default(".data").describe("Folder of the embedded PostgreSQL and of uploaded files."),
    OBJECT_STORE: z
      .string()
      .regex(
        /^(file|s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/(?!\.{1,2}(\/|$))[A-Za-z0-9._-]{1,100}){0,3}\/?)$/,
        "is file, or a bucket such as s3://bucket/prefix",
      )
      .default("file")
      .describe(
        "Where uploads and results live: `file`, in `DATA_DIR`, or a bucket, `s3://bucket/prefix`. A store belongs to one database, whose videos are all that it holds: never point two databases at the same one. What is in it and belongs to no video for a day is removed, unless it is much or the store is another database's; `npm run store` shows and changes whose it is.",
      ),
    S3_ENDPOINT: httpUrl.optional().describe("Address of an S3-compatible store. Default: Amazon S3."),
    S3_REGION: z
      .string()
      .optional()
      .describe("Region of the bucket. Default: what the AWS SDK finds; `us-east-1` with `S3_ENDPOINT`."),
    S3_ACCESS_KEY_ID: z
      .string()
      .optional()
      .describe("Credentials for the bucket. Default: what the AWS SDK finds (environment, profile, role)."),
    S3_SECRET_ACCESS_KEY: z.string().optional().describe("The secret that belongs to `S3_ACCESS_KEY_ID`."),
    DATABASE_POOL_SIZE: count(1, 200, 10).describe("Connections of this process to PostgreSQL."),
    CURSOR_SECRETS: secrets
      .optional()
      .describe(
        "Secrets of the page cursors, of 16 characters or more, separated by commas: the first makes new cursors, all are accepted.",
      ),
    RATE_LIMITS: rates.default(DEFAULT_RATES).describe(
      `\`off\`, or changes such as \`writes=1000/60\` (requests / seconds) to: ${Object.entries(DEFAULT_RATES)
        .map(([name, it]) => `\`${name}=${it.quota}/${it.windowSeconds}\``)
        .join(", ")}.`,
    ),
    MAX_IN_FLIGHT: count(1, 100_000, 512).describe(
      "Requests answered at once, half of them at most downloads; more get 503 with `Retry-After` at once.",
    ),
    MAX_IN_FLIGHT_PER_USER: count(1, 100_000, 128).describe("Of these, requests of one user; more get 429 with `Retry-After`."),
    MAX_IN_FLIGHT_PER_ADDRESS: count(1, 100_000, 128).describe(
      "Requests without credentials (short URLs that are followed, documents) answered at once to one address; more get 503.",
    ),
    MAX_DOCUMENTS_IN_FLIGHT: count(1, 100_000, 256).describe(
      "Pages and files about the API (`/docs`, `/openapi.*`, `/problems/*`) sent at once, beside the requests.",
    ),
    MAX_UPLOADS_IN_FLIGHT: count(1, 10_000, 64).describe("Video uploads received at once."),
    MAX_UPLOADS_PER_USER: count(1, 10_000, 8).describe(
      "Video uploads received at once from one user; more get 429 with `Retry-After`.",
    ),
    MAX_UPLOAD_BYTES: count(1, 2 ** 40, 2 ** 31).describe("Largest video accepted; default 2 GiB."),
    MAX_STORED_BYTES_PER_USER: count(1, 2 ** 50, 20 * 2 ** 30).describe(
      "What the uploads of one user may take up together; more get 413. Default 20 GiB.",
    ),
    MIN_FREE_BYTES: count(0, 2 ** 50, 2 ** 30).describe(
      "Room that is left on the disk of `DATA_DIR` for everything else, such as PostgreSQL: uploads that would go below it get 503. Default 1 GiB; not for buckets.",
    ),
    IDLE_TIMEOUT_SECONDS: count(1, 3_600, 30).describe(
      "How long a client may take to send 64 KiB of a video, or to read 64 KiB of any answer, before its connection is ended.",
    ),
    CORS_ORIGINS: list.default(["*"]).describe("Origins that browsers may call from, separated by commas; `*` allows all."),
    TRUST_PROXY: count(0, 10, 0).describe("How many proxies in front set `X-Forwarded-For`."),
    AUTH_JWKS: z
      .string()
      .refine(
        isFileOrSafeUrl,
        "is a file or an https URL; http is for this machine only, as whoever is on the way could swap the keys",
      )
      .optional()
      .describe("Key set that verifies JWTs: a file or an https URL (http on loopback only). Default: API keys only."),
    AUTH_ISSUER: z.string().optional().describe("`iss` that a JWT must carry."),
    AUTH_AUDIENCE: z.string().optional().describe("`aud` that a JWT must carry."),
    AUTH_ALGORITHMS: list
      .pipe(z.array(z.enum(["EdDSA", "ES256", "RS256"])).min(1))
      .default(["EdDSA", "ES256", "RS256"])
      .describe("Signature algorithms accepted in JWTs."),
    MEDIA_ENGINE: oneOf("auto", "native", "wasm").describe(
      "What reads videos: native ffmpeg, its WebAssembly build, or whichever is there.",
    ),
    FFMPEG_PATH: z.string().optional().describe("The ffmpeg to use, ffprobe beside it. Default: the one on `PATH`."),
    PATH: z.string().default("").describe("Where to look for ffmpeg."),
    VIDEO_CONCURRENCY: count(1, 64, 1).describe("Video jobs that one worker runs at once."),
    KEEP_ORIGINALS: oneOf("true", "false")
      .transform((it) => it === "true")
      .describe("`false` removes an uploaded file once its video has succeeded, those of earlier videos too."),
    SHUTDOWN_DELAY_SECONDS: count(0, 86_400, 0).describe(
      "How long `/health` says 503, and every answer `Connection: close`, before the port closes; set it above a load balancer's poll.",
    ),
    LOG_LEVEL: z
      .enum(["fatal", "error", "warn", "info", "debug", "silent"])
      .default("info")
      .describe("The least severe line that is logged."),
  })
  .superRefine((it, context) => {
    const needs = (isNeeded: boolean, name: keyof typeof it, why: string) => {
      if (isNeeded && it[name] === undefined) context.addIssue({ code: "custom", path: [name], message: `is needed ${why}` });
    };
    needs(it.NODE_ENV === "production", "DATABASE_URL", "in production");
    needs(it.NODE_ENV === "production", "CURSOR_SECRETS", "in production");
    needs(it.DIRECT_DATABASE_URL !== undefined, "DATABASE_URL", "with DIRECT_DATABASE_URL");
    needs(it.S3_ACCESS_KEY_ID !== undefined, "S3_SECRET_ACCESS_KEY", "with S3_ACCESS_KEY_ID");
    needs(it.S3_SECRET_ACCESS_KEY !== undefined, "S3_ACCESS_KEY_ID", "with S3_SECRET_ACCESS_KEY");
    needs(it.AUTH_JWKS !== undefined, "AUTH_ISSUER", "with AUTH_JWKS");
    needs(it.AUTH_JWKS !== undefined, "AUTH_AUDIENCE", "with AUTH_JWKS");
  });

export type Config = Readonly<z.output<typeof settings>>;

/** The settings out of an environment, checked and frozen; throws a StartupError that names every one that is wrong. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const known = Object.keys(settings.shape).map((name) => [name, environment[name]] as const);
  // An empty variable is how shells and compose files say "not set".
  const given = Object.fromEntries(known.filter(([, value]) => value !== undefined && value !== ""));
  const parsed = settings.safeParse(given, { error: sentence });
  if (parsed.success) return Object.freeze(parsed.data);
  throw new StartupError(parsed.error.issues.map((it) => `The setting ${it.path.join(".")} ${it.message}.`).join(" "));
}

/** What is wrong with a setting whose rule has no sentence of its own. */
function sentence(issue: z.core.$ZodRawIssue): string {
  if (issue.code === "invalid_value") return `is one of ${issue.values.join(", ")}`;
  if (issue.code === "too_small") return `is at least ${issue.minimum}`;
  if (issue.code === "too_big") return `is at most ${issue.maximum}`;
  if (issue.code === "invalid_type") return "is not a number";
  return issue.code === "invalid_format" ? "is not a URL" : "is not valid";
}
