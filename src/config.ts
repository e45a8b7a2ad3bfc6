import { z } from "zod";
import {
  count,
  databaseUrl,
  databaseUrls,
  DEFAULT_RATES,
  httpUrl,
  integer,
  isAddressOfService,
  isFileOrSafeUrl,
  list,
  nameServers,
  oneOf,
  rates,
  sharedRates,
  secrets,
  sentence,
  share,
  valueOf,
  type Environment,
} from "./settings/values.ts";
import { misspeltIn } from "./settings/names.ts";
import { StartupError } from "./util/startup-error.ts";

/** The bytes that a client must send or read within `IDLE_TIMEOUT_SECONDS`. Slower clients are disconnected. */
export const MIN_PROGRESS_BYTES = 64 * 1024;

/**
 * Every setting with its default and description. A test compares scripts/deploy/SETTINGS.md with them. A setting can also be the content of
 * the file in `NAME_FILE`. Other environment variables are ignored.
 */
export const settings = z
  .object({
    NODE_ENV: oneOf("development", "production", "test").describe(
      "In `production`, `DATABASE_URL` and `CURSOR_SECRETS` are required, and no demo data is created.",
    ),
    ROLE: oneOf("all", "api", "worker").describe("What it does: `api` serves requests, `worker` runs jobs, `all` both."),
    HOST: z.string().default("127.0.0.1").describe("Address to listen on. Use `0.0.0.0` in a container."),
    PORT: count(0, 65_535, 3000).describe("Port to listen on. `0` picks a free port."),
    PUBLIC_URL: httpUrl
      .refine(
        (url) => isAddressOfService(URL.parse(url)),
        "is an address with at most a path of plain names, such as https://example.com/plumb",
      )
      .transform((url) => url.replace(/\/+$/, ""))
      .optional()
      .describe(
        "URL under which clients reach the service; short URLs begin with it. If it has a path, that is the prefix that a proxy strips, and all links begin with it. Default: the address that the service listens on.",
      ),
    DATABASE_URL: databaseUrl
      .optional()
      .describe(
        "URL of an existing PostgreSQL database (14 or newer). For TLS, add `?sslmode=verify-full&sslrootcert=/path/ca.crt`. Default: the embedded database in `DATA_DIR`.",
      ),
    DIRECT_DATABASE_URL: databaseUrl
      .optional()
      .describe("The same database without a pooler, for migrations and jobs. Required if `DATABASE_URL` uses a pooler."),
    REPLICA_DATABASE_URLS: databaseUrls
      .optional()
      .describe(
        "URLs of streaming replicas of `DATABASE_URL`, separated by commas. Reads with a `Consistency-Token` use them. A replica that is away or too far behind is not used.",
      ),
    REPLICA_MAX_LAG_SECONDS: count(1, 300, 5).describe(
      "How far a replica can be behind. To a client that sends a `Consistency-Token`, what others change can show this much later. Access never depends on it.",
    ),
    PREPARED_STATEMENTS: oneOf("auto", "on", "off").describe(
      "Whether prepared statements have names. `auto` names them only without a pooler, because some poolers don't support them (PgBouncer before 1.21).",
    ),
    DATA_DIR: z.string().default(".data").describe("Folder for the embedded PostgreSQL and for uploaded files."),
    OBJECT_STORE: z
      .string()
      .regex(
        /^(file|s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/(?!\.{1,2}(\/|$))[A-Za-z0-9._-]{1,100}){0,3}\/?)$/,
        "is file, or a bucket such as s3://bucket/prefix",
      )
      .default("file")
      .describe(
        "Where videos are stored: `file` (in `DATA_DIR`) or a bucket (`s3://bucket/prefix`). An object store belongs to one database; never use it with two. Objects that have belonged to no video for a day are removed, unless there are too many or the store belongs to another database. `npm run -s plumbline -- store show` shows and changes the database that it belongs to.",
      ),
    S3_ENDPOINT: httpUrl.optional().describe("URL of an S3-compatible store. Default: Amazon S3."),
    S3_REGION: z
      .string()
      .optional()
      .describe("Region of the bucket. Default: the region that the AWS SDK finds, or `us-east-1` with `S3_ENDPOINT`."),
    S3_ACCESS_KEY_ID: z
      .string()
      .optional()
      .describe("Access key for the bucket. Default: the credentials that the AWS SDK finds (environment, profile, role)."),
    S3_SECRET_ACCESS_KEY: z.string().optional().describe("Secret of `S3_ACCESS_KEY_ID`."),
    DATABASE_POOL_SIZE: count(1, 200, 10).describe("Connections for queries. Jobs and health checks need a few more."),
    DATABASE_POOL_TIMEOUT_SECONDS: count(1, 30, 3).describe(
      "How long a request waits for one of these connections. After that, it returns 503.",
    ),
    DATABASE_STATEMENT_TIMEOUT_SECONDS: count(1, 10, 10).describe(
      "How long a statement takes at most. After that, its request returns 503. It waits for a lock half as long. Behind a pooler, `statement_timeout` and `lock_timeout` of the database must be these times. Run `npm run -s plumbline -- database distribute` again if you change it on a cluster.",
    ),
    CURSOR_SECRETS: secrets
      .optional()
      .describe(
        "Secrets for cursors and playback links, separated by commas, each with at least 16 characters. The first encrypts new ones; all are accepted. Without one of them, what it encrypted is refused.",
      ),
    RATE_LIMITS: rates.default(DEFAULT_RATES).describe(
      `\`off\`, or changes such as \`writes=1000/60\` (requests / seconds) to the defaults: ${Object.entries(DEFAULT_RATES)
        .map(([name, it]) => `\`${name}=${it.quota}/${it.windowSeconds}\``)
        .join(", ")}.`,
    ),
    RATE_LIMITS_SHARED: sharedRates.describe(
      "Which of these rate limits all processes count together, to the request, separated by commas. For each of the others, n processes allow n times as many requests. To share a limit costs a query, which concurrent requests share.",
    ),
    USER_DIRECTORY: oneOf("on", "off").describe(
      "Whether users can search for others by name. With `off`, they get 403 `directory_disabled`, and `unknown_user` doesn't say which of several ids is unknown. With `on`, each user can read all names in time: a search finds fewer than one new user on average, and the rate limit `searches` allows 500 in a day.",
    ),
    MAX_IN_FLIGHT: count(1, 100_000, 512).describe(
      "Concurrent requests, at most half of them downloads, which users and addresses share. More return 503 with `Retry-After`, those of the user with the most waiting requests first.",
    ),
    MAX_QUEUE_MS: count(0, 60_000, 50).describe(
      "How long a new request may have to wait in the queue, which serves users, and addresses without credentials, round robin. If it would have to wait longer, it gets 503 with `Retry-After`. `0` refuses none.",
    ),
    MAX_IN_FLIGHT_PER_USER: count(1, 100_000, 128).describe("Concurrent requests per user. More return 429 with `Retry-After`."),
    MAX_WAITING: count(0, 1_000_000, 10_000).describe(
      "Requests with `wait` that wait for something new. They don't count as concurrent requests. More don't wait: their response comes at once.",
    ),
    MAX_WAITING_PER_USER: count(0, 1_000_000, 16).describe("The same per user."),
    MAX_IN_FLIGHT_PER_ADDRESS: count(1, 100_000, 128).describe(
      "Concurrent requests without credentials (redirects, playback, documents) per IP address, and as many with a credential that is not verified yet. More return 503 with `Retry-After`.",
    ),
    MAX_DOCUMENTS_IN_FLIGHT: count(1, 100_000, 256).describe(
      "Concurrent requests for documents (`/docs`, `/openapi.*`, `/problems/*`), which addresses share. They don't count towards `MAX_IN_FLIGHT`.",
    ),
    MAX_UPLOADS_IN_FLIGHT: count(1, 10_000, 64).describe("Concurrent video uploads. More return 503."),
    MAX_UPLOADS_PER_USER: count(1, 10_000, 8).describe("Concurrent video uploads per user. More return 429 with `Retry-After`."),
    MAX_UPLOAD_BYTES: count(1, 2 ** 40, 2 ** 31).describe("Maximum size of a video. Default: 2 GiB."),
    MAX_STORED_BYTES_PER_USER: count(1, 2 ** 50, 20 * 2 ** 30).describe(
      "Storage quota per user, for all uploads and their results together. An upload beyond it returns 413, and a video whose result is beyond it fails. Default: 20 GiB.",
    ),
    MIN_FREE_BYTES: count(0, 2 ** 50, 2 ** 30).describe(
      "Space to keep free on the disk of `DATA_DIR`, for PostgreSQL for example. An upload that would leave less returns 503, and a video whose processing would leave less waits. Default: 1 GiB. With a bucket, only workers use it.",
    ),
    IDLE_TIMEOUT_SECONDS: count(1, 3_600, 30).describe(
      "How long a client can take to send 64 KiB of a video, or to read 64 KiB of a response, before its connection is closed.",
    ),
    CORS_ORIGINS: list
      .default(["*"])
      .describe("Origins of web pages that can call the API, separated by commas. `*` allows all."),
    TRUST_PROXY: count(0, 10, 0).describe("Number of proxies in front of the service that set `X-Forwarded-For`."),
    AUTH_JWKS: z
      .string()
      .refine(
        isFileOrSafeUrl,
        "is a file or an https URL; it has no user and no password, which would be logged, and http works only on this machine, because keys can be replaced on their way",
      )
      .optional()
      .describe(
        "Key set for JWTs: a file or an https URL (http on loopback only) without a user and a password. Default: API keys only.",
      ),
    AUTH_ISSUER: z.string().optional().describe("The `iss` claim that JWTs must have. Required with `AUTH_JWKS`."),
    AUTH_AUDIENCE: z.string().optional().describe("The `aud` claim that JWTs must have. Required with `AUTH_JWKS`."),
    AUTH_ALGORITHMS: list
      .pipe(z.array(z.enum(["EdDSA", "ES256", "RS256"])).min(1))
      .default(["EdDSA", "ES256", "RS256"])
      .describe("Accepted signature algorithms of JWTs."),
    WEBHOOK_PROXY: httpUrl
      .optional()
      .describe(
        "URL of a forward proxy for webhooks. The proxy resolves the names of receivers, so it must refuse those that lead to private addresses. Default: no proxy.",
      ),
    WEBHOOK_DNS_SERVERS: nameServers.describe(
      "IP addresses of the name servers that workers ask for the names of receivers, separated by commas, each with or without a port (`[2001:db8::1]:53`). `/etc/hosts` and search domains are not used for these names. With `WEBHOOK_PROXY`, the proxy resolves them. Default: the name servers of the system (`/etc/resolv.conf`).",
    ),
    WEBHOOK_PRIVATE_ADDRESSES: oneOf("auto", "on", "off").describe(
      "Whether webhooks can go to http URLs and to private addresses, for development and for receivers in the same network. `auto` is `on` only if `NODE_ENV` is not `production`, and `HOST` and the host of `DATABASE_URL` are this machine, such as `127.0.0.1`; otherwise it is `off`. Addresses of metadata services are always refused.",
    ),
    MEDIA_ENGINE: oneOf("auto", "native", "wasm").describe(
      "What processes videos: `native` ffmpeg, its WebAssembly build (`wasm`), or the first of the two that works (`auto`).",
    ),
    FFMPEG_PATH: z.string().optional().describe("Path of ffmpeg, with ffprobe beside it. Default: found on `PATH`."),
    PATH: z.string().default("").describe("Folders to search for ffmpeg."),
    VIDEO_CONCURRENCY: count(1, 64, 1).describe(
      "Number of video jobs that a worker runs at the same time in each of four lanes: for up to about 4 seconds of work, a minute, 15 minutes, and more. So there can be four times as many processes, each of which can use up to 2 GiB of memory.",
    ),
    VIDEO_MINUTES_PER_USER: count(1, 1_000_000, 360).describe(
      "How many minutes of processing a user's videos get in 24 hours before they wait behind those of all other users. If nobody else waits, they still run.",
    ),
    KEEP_ORIGINALS: oneOf("true", "false")
      .transform((it) => it === "true")
      .describe("`false` removes the uploaded file of each video that has succeeded, earlier videos included."),
    KEEP_DELETED_HOURS: count(0, 8_760, 0).describe(
      "How long the files of deleted videos stay in the object store, so that a copy of it has every file that the database needs. Until then, they count towards the storage quota of their owner. Choose more than the time from the beginning of one copy to the end of the next, and the same in all processes. A change applies to what is deleted from then on.",
    ),
    SHUTDOWN_DELAY_SECONDS: count(0, 86_400, 0).describe(
      "How long to wait at shutdown before the port closes. Until then `/health` returns 503, and every response has `Connection: close`. Choose more than the polling interval of your load balancer.",
    ),
    LOG_LEVEL: z
      .enum(["fatal", "error", "warn", "info", "debug", "silent"])
      .default("info")
      .describe("The least severe level that is logged."),
    LOG_REQUESTS: share.describe(
      "Whether each request is logged with a line at level `info`: `all`, `off`, or a share such as `0.1`, which always includes those that fail with 5xx. Health checks are logged only if they fail.",
    ),
    METRICS_PORT: integer(0, 65_535)
      .optional()
      .describe("Port for Prometheus metrics, at `/metrics`, in every role. `0` picks a free port. Default: no metrics."),
    METRICS_HOST: z
      .string()
      .default("127.0.0.1")
      .describe("Address for `METRICS_PORT`. Metrics need no credential, so use an address that only Prometheus can reach."),
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

/** `quietMs` is the pause before idle connections close at shutdown. Tests shorten it. */
export type Config = Readonly<z.output<typeof settings> & { quietMs?: number }>;

type Shape = typeof settings.shape;
export type SettingName = keyof Shape;

/** Reads and validates the settings in an environment. Throws a StartupError that names every invalid setting. */
export const readConfig = (environment: Environment): Config => Object.freeze(parse(settings, environment));

/** Reads only these settings, for a command that needs no others. */
export function readSettings<Name extends SettingName>(environment: Environment, names: readonly Name[]): Pick<Config, Name> {
  const shape = Object.fromEntries(names.map((name) => [name, settings.shape[name]])) as Pick<Shape, Name>;
  return parse(z.object(shape), environment) as Pick<Config, Name>;
}

/** A sentence for each ignored variable with almost the name of a setting. */
export const describeMisspelt = (environment: Environment): string[] =>
  misspeltIn(environment, Object.keys(settings.shape)).map(
    ({ name, meant }) => `${name} is not a setting, so it is ignored; did you mean ${meant}?`,
  );

function parse<Schema extends z.ZodObject>(schema: Schema, environment: Environment): z.output<Schema> {
  const values = Object.keys(schema.shape).map((name) => [name, valueOf(name, environment)] as const);
  const defined = Object.fromEntries(values.filter(([, value]) => value !== undefined));
  const parsed = schema.safeParse(defined, { error: sentence });
  if (parsed.success) return parsed.data;
  const refused = parsed.error.issues.map((it) => `The setting ${it.path.join(".")} ${it.message}.`);
  throw new StartupError([...refused, ...describeMisspelt(environment)].join(" "));
}
