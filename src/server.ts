import { chmod, mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pino, type Logger } from "pino";
import type { Config } from "./config.ts";
import { leaveForgotten, removeConversation } from "./conversations/removal.ts";
import { createCursors } from "./lists/cursor.ts";
import { connect, refuseOtherDatabase, type Db } from "./database/client.ts";
import { databaseFailure, unavailableFailure } from "./database/database-failure.ts";
import { startEmbeddedPostgres } from "./embedded-postgres/embedded-postgres.ts";
import { purgeIdempotencyKeys } from "./idempotency/idempotency.ts";
import { applyMigrations } from "./database/migrate.ts";
import { createDatabaseProbe } from "./database/probe.ts";
import { purgeRateLimits } from "./database/purge.ts";
import { createRunStatement } from "./database/statement.ts";
import { Failure } from "./failure.ts";
import { createHandlers } from "./handlers.ts";
import { createApp } from "./http/app.ts";
import { loadDocuments } from "./http/documents/documents.ts";
import { listen } from "./http/listener.ts";
import { mountOf } from "./http/mount.ts";
import { createRateLimits } from "./http/limits/rate-limits.ts";
import { startJobs, type Jobs } from "./jobs/queue.ts";
import { finishMarking, notify } from "./notifications/service.ts";
import { purgeNotifications } from "./notifications/store.ts";
import { notifyInStatement } from "./notifications/tell.ts";
import { StartupError } from "./startup-error.ts";
import { StorageFailure, type ObjectStore } from "./storage/object-store.ts";
import { openObjectStore } from "./storage/open-store.ts";
import { createClickCounter } from "./urls/clicks.ts";
import { createCredentialVerifier } from "./users/credentials.ts";
import { createJwtVerifier } from "./users/jwt.ts";
import { findUnknownUsers } from "./users/users.ts";
import { processVideo } from "./video-uploads/worker/attempt.ts";
import { folderOf } from "./video-uploads/object-keys.ts";
import { findEngine, type Engine } from "./video-uploads/media/engine.ts";
import { purgePartials } from "./video-uploads/resumable/expire.ts";
import { giveUpVideo, reconcileVideos } from "./video-uploads/worker/reconcile.ts";
import { loadResultCheck } from "./video-uploads/worker/result-check.ts";
import { releaseAbandoned } from "./video-uploads/reservation-store.ts";
import { UPLOAD_AGE_SECONDS } from "./video-uploads/resumable/service.ts";
import { sweepScratch } from "./video-uploads/worker/scratch.ts";
import { tieStore } from "./video-uploads/sweep/store-owner.ts";
import { sweepObjects } from "./video-uploads/sweep/sweep.ts";

export type Server = {
  /** Where the API answers; null for a process that only works on jobs. */
  readonly url: string | null;
  readonly db: Db;
  /** Whether the database is the embedded one. */
  readonly isEmbedded: boolean;
  close(): Promise<void>;
};

/** Cursors of a service that is tried out survive a restart; a production one has to bring secrets of its own. */
const DEVELOPMENT_CURSOR_SECRETS = ["plumbline development cursors"];

/** The composition root: everything is made here, in order, and unmade in reverse, also when a later step fails. */
export async function startServer(config: Config): Promise<Server> {
  await using stack = new AsyncDisposableStack();
  const log = pino({ level: config.LOG_LEVEL, base: null, redact: ["req.headers.authorization"] });
  const dataDir = resolve(config.DATA_DIR);
  const answers = config.ROLE !== "worker";
  const works = config.ROLE !== "api";

  const documents = answers ? await loadDocuments() : null;
  const listener =
    documents &&
    stack.adopt(await listen(config.HOST, config.PORT, documents.contract.info.version, mountOf(config.PUBLIC_URL)), (it) =>
      it.close(),
    );
  const databaseUrl =
    config.DATABASE_URL ??
    stack.adopt(await startEmbeddedPostgres({ dataDir, log: (line) => log.warn(line) }), (it) => it.stop()).url;
  const { db, pool } = stack.adopt(
    await connect(
      databaseUrl,
      config.DATABASE_POOL_SIZE,
      (error) => log.warn({ err: error }, "a database connection was lost"),
      config.PREPARED_STATEMENTS,
    ),
    (it) => it.close(),
  );
  const directUrl = config.DIRECT_DATABASE_URL ?? databaseUrl;
  await applyMigrations(directUrl);
  if (config.DIRECT_DATABASE_URL !== undefined) await refuseOtherDatabase(pool, directUrl);
  const jobs = stack.adopt(await startJobs(directUrl, { isWorker: works, log }), (it) => it.close());
  const objects = await openObjectStore(config, dataDir);
  await announceTie(db, objects, log);

  let url: string | null = null;
  let drainedMs: number | null = null;
  if (documents !== null && listener !== null) {
    url = `http://${hostInUrl(config.HOST)}:${listener.port}`;
    const databaseProbe = stack.adopt(createDatabaseProbe(databaseUrl), (it) => it.close());
    const clicks = stack.adopt(createClickCounter(db, log), (it) => it.close());
    const app = await createApp({
      config,
      documents,
      log,
      translate: (error) => databaseFailure(error) ?? storageFailure(error),
      verify: createCredentialVerifier(db, await jwtVerifier(config, log)),
      limits: createRateLimits(config.RATE_LIMITS, { pool, table: "rate_limits" }),
      handlers: createHandlers({
        db,
        runStatement: createRunStatement(pool),
        databaseProbe,
        objects,
        log,
        clicks,
        notify,
        notifyInStatement,
        findUnknownUsers,
        queue: jobs.queue,
        cursors: createCursors(config.CURSOR_SECRETS ?? DEVELOPMENT_CURSOR_SECRETS),
        publicUrl: config.PUBLIC_URL ?? url,
        maxUploadBytes: config.MAX_UPLOAD_BYTES,
        maxStoredBytesPerUser: config.MAX_STORED_BYTES_PER_USER,
        idleMs: config.IDLE_TIMEOUT_SECONDS * 1_000,
        version: documents.contract.info.version,
        isDraining: () => drainedMs !== null,
      }),
    });
    listener.serve(app);
    stack.defer(async () => {
      const leftMs = config.SHUTDOWN_DELAY_SECONDS * 1_000 - (performance.now() - (drainedMs ?? -Infinity));
      await delay(Math.max(0, leftMs));
      await listener.close();
    });
  }
  // What is made last is unmade first: a transcode must not go on while requests are still being answered.
  if (works) stack.defer(() => jobs.stopWork());
  if (works) await startWork(config, { jobs, db, objects, log, scratchDir: join(dataDir, "scratch"), engine: engineOf(config) });
  const owned = stack.move();
  return {
    url,
    db,
    isEmbedded: config.DATABASE_URL === undefined,
    close() {
      // At once, though video jobs are stopped before: nobody should send requests to a process that is about to end.
      drainedMs = performance.now();
      listener?.drain();
      return owned.disposeAsync();
    },
  };
}

/** What an error of the object store means to a client: it is full, or does not answer just now. Anything else is a defect, and null. */
function storageFailure(error: unknown): Failure | null {
  if (!(error instanceof StorageFailure)) return null;
  if (error.kind === "store_full")
    return new Failure("unavailable", "There is no room for videos at the moment. Try again later.", {
      headers: { "Retry-After": "60" },
      cause: error,
    });
  return error.kind === "unavailable" ? unavailableFailure(error) : null;
}

/** A name that a client on this machine can use for the address listened on. */
function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

type Work = {
  readonly jobs: Jobs;
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly log: Logger;
  readonly scratchDir: string;
  readonly engine: Engine;
};

async function startWork(config: Config, { jobs, ...parts }: Work): Promise<void> {
  announce(parts.engine, parts.log);
  await mkdir(parts.scratchDir, { recursive: true });
  // What reads one upload may run as another user, and finds no way from there to the others'.
  await chmod(parts.scratchDir, 0o700);
  // A folder that cannot be removed is a nuisance, and no reason not to work.
  const sweep = () =>
    sweepScratch(parts.scratchDir).catch((error: unknown) => parts.log.warn({ err: error }, "the scratch folder was not swept"));
  await sweep();
  const checkResult = loadResultCheck();
  await jobs.work({
    concurrency: config.VIDEO_CONCURRENCY,
    processVideo: (attempt) =>
      processVideo({ ...parts, notify, checkResult, queue: jobs.queue, keepOriginals: config.KEEP_ORIGINALS }, attempt),
    giveUpVideo: async (id) => {
      await giveUpVideo({ db: parts.db, notify }, id);
      await sweep();
    },
    removeObjects: (id) => parts.objects.deletePrefix(folderOf(id)),
    finish: (it, signal) =>
      it.work === "mark_as_read" ? finishMarking(parts.db, it, signal) : removeConversation(parts.db, it.conversationId, signal),
    reconcile: () => reconcileVideos({ ...parts, notify }),
    maintain: async () => {
      const keys = await purgeIdempotencyKeys(parts.db);
      const counters = await purgeRateLimits(parts.db);
      const partials = await purgePartials(parts.db, jobs.queue, UPLOAD_AGE_SECONDS);
      const reservations = await releaseAbandoned(parts.db, UPLOAD_AGE_SECONDS);
      const notifications = await purgeNotifications(parts.db);
      const conversations = await leaveForgotten(parts.db, (tx, conversationId) =>
        jobs.queue.leave(tx, { work: "remove_conversation", conversationId }),
      );
      parts.log.info({ keys, counters, partials, reservations, notifications, conversations }, "removed what has expired");
      await sweep();
      await sweepObjects({ ...parts, keepOriginals: config.KEEP_ORIGINALS });
    },
  });
}

function engineOf(config: Config): Engine {
  try {
    return findEngine({ mode: config.MEDIA_ENGINE, ffmpegPath: config.FFMPEG_PATH, searchPath: config.PATH });
  } catch (error) {
    throw new StartupError(`Videos cannot be processed: ${(error as Error).message}.`, { cause: error });
  }
}

/** Ties a new store to this database, and says it now and not in an hour when the store belongs to another. */
async function announceTie(db: Db, objects: ObjectStore, log: Logger): Promise<void> {
  try {
    const { problem, sentence } = await tieStore(db, objects);
    if (problem !== null) log.error({ store_problem: problem }, sentence);
  } catch (error) {
    // A store that is full or away just now: the sweep asks again before it does anything.
    log.warn({ err: error }, "it is not known yet whether the object store belongs to this database");
  }
}

/** Which engine reads strangers' files and what confines it: nobody should have to guess, least of all when it is little. */
function announce({ description, confinement: { holds, lacks, isLimited } }: Engine, log: Logger): void {
  const found = { engine: description, confined_by: holds, ...(lacks.length === 0 ? {} : { not_confined_by: lacks }) };
  if (isLimited) log.info(found, "what reads videos");
  else
    log.warn(
      found,
      "what reads videos runs without limits of the operating system; setpriv and prlimit (util-linux) are missing or forbidden",
    );
}

async function jwtVerifier(config: Config, log: Logger) {
  const { AUTH_JWKS: jwks, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience, AUTH_ALGORITHMS: algorithms } = config;
  const onStaleKeys = (error: Error) => log.warn({ err: error }, "the key set was not fetched anew; the last one stays in use");
  return jwks !== undefined && issuer !== undefined && audience !== undefined
    ? createJwtVerifier({ jwks, issuer, audience, algorithms, onStaleKeys })
    : null;
}
