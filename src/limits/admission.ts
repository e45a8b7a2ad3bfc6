import type { ServerResponse } from "node:http";
import type { Config } from "../config.ts";
import { isStreamed, sendsBytes, type Operation } from "../contract/operations.ts";
import { Semaphore, type SemaphoreOptions, type WatchSemaphore } from "../util/semaphore.ts";
import { FairQueue } from "./fair-queue.ts";
import { limitInFlight, noPermit, releaseInFlight, type Admit } from "./in-flight.ts";

export type Admission = ReturnType<typeof createAdmission>;

/** The names of the limits in the metrics. */
export const IN_FLIGHT_LIMITS = [
  "all",
  "user",
  "address",
  "documents",
  "uploads",
  "uploads_of_user",
  "downloads",
  "queue",
] as const;
type LimitName = (typeof IN_FLIGHT_LIMITS)[number];

/** The share of the connections to the database that the requests of one caller can occupy. */
const SHARE_OF_CALLER = 0.8;

/** Limits the requests in flight: in total, per caller, and those whose duration depends on the client. */
export function createAdmission(config: Config, databaseBacklog: () => number, watchSemaphore: WatchSemaphore = () => undefined) {
  const queue = new FairQueue({
    runningMax: Math.max(1, Math.floor(config.DATABASE_POOL_SIZE * SHARE_OF_CALLER)),
    databaseBacklog,
    targetMs: config.MAX_QUEUE_MS,
    waitMaxMs: config.DATABASE_POOL_TIMEOUT_SECONDS * 1_000,
  });
  const { document, byAddress, byUser, uploads, downloads } = createLimits(config, queue, watchSemaphore);
  return {
    /** For documents about the API, which have their own limits. */
    document,
    /** The limits of an operation, in the order of the steps of a request. */
    of(operation: Operation) {
      // Health checks are cheap and must work under an overload, so no limit applies.
      const isProbe = operation.ratePolicy === "none";
      const isUpload = isStreamed(operation);
      const more = isUpload ? [uploads] : sendsBytes(operation) ? [downloads] : [];
      const admit = isProbe ? () => true : every(operation.scopes === null ? byAddress : byUser, ...more);
      return {
        /** After the client is identified: refuses the request under an overload. Early, because it is cheap. */
        shedLoad(caller: string): Disposable | null {
          if (isProbe) return null;
          const arrival = queue.admit(caller);
          if (arrival === null) throw atCapacity("queue")();
          return arrival;
        },
        /** After authentication: takes the permits of a request. */
        admit,
        /** Runs `work` when the request may start. Null if its client disconnects before. */
        async schedule<T>(caller: string, res: ServerResponse, work: () => Promise<T>): Promise<T | null> {
          // An upload lasts as long as its client takes to send it.
          if (isProbe || isUpload) return work();
          const started = await queue.start(caller, res);
          if (started === null) return null;
          if (typeof started === "string") throw atCapacity(started === "displaced" ? "all" : "queue")();
          using _started = started;
          return await work();
        },
      };
    },
  };
}

function createLimits(config: Config, queue: FairQueue, watchSemaphore: WatchSemaphore) {
  const { MAX_IN_FLIGHT: max, MAX_IN_FLIGHT_PER_USER: maxOfUser, MAX_UPLOADS_PER_USER: maxUploadsOfUser } = config;
  const permits = (name: LimitName, options: SemaphoreOptions) => {
    const semaphore = new Semaphore(options);
    watchSemaphore(name, semaphore);
    return semaphore;
  };
  const ofCaller = (name: LimitName, maxPerKey: number, refusal = atCapacity(name)) =>
    limitInFlight(permits(name, { max: Infinity, maxPerKey }), refusal);
  /** For responses that last as long as clients read them: callers share the permits, so that a few can't hold all. */
  const shared = (name: LimitName, maxShared: number) =>
    limitInFlight(permits(name, { max: maxShared, sharesPermits: true }), atCapacity(name));
  // One limit for documents and short URLs, because both count per IP address.
  const ofAddress = ofCaller("address", config.MAX_IN_FLIGHT_PER_ADDRESS);
  const ofUser = ofCaller(
    "user",
    maxOfUser,
    tooMany("user", `You have ${maxOfUser} requests running, which is the maximum. Retry when one of them has ended.`),
  );
  const uploadsOfUser = ofCaller(
    "uploads_of_user",
    maxUploadsOfUser,
    tooMany(
      "uploads_of_user",
      `You are sending ${maxUploadsOfUser} videos, which is the maximum. Retry when one of them has arrived.`,
    ),
  );
  // A user can hold MAX_UPLOADS_PER_USER of them, by default an eighth.
  const uploads = limitInFlight(permits("uploads", { max: config.MAX_UPLOADS_IN_FLIGHT }), atCapacity("uploads"), IN_ALL);
  /** If all permits are held, the client with the longest queue loses one, so that no client can hold all. */
  const ofAll = limitInFlight(permits("all", { max }), atCapacity("all"), {
    ...IN_ALL,
    freeFor(caller) {
      const displaced = queue.displaceFor(caller);
      if (displaced !== null) releaseInFlight(displaced);
    },
  });
  return {
    document: every(ofAddress, shared("documents", config.MAX_DOCUMENTS_IN_FLIGHT)),
    byAddress: every(ofAddress, ofAll),
    byUser: every(ofUser, ofAll),
    uploads: every(uploadsOfUser, uploads),
    // Half of all permits, so that other requests can have the rest.
    downloads: shared("downloads", Math.ceil(max / 2)),
  };
}

/** All callers have the same key. */
const IN_ALL = { keyOf: () => "" };

const every =
  (...checks: readonly Admit[]): Admit =>
  (caller, res) =>
    checks.every((admit) => admit(caller, res));

const atCapacity = (name: LimitName) => () => noPermit("unavailable", name, "The service is overloaded. Try again in a moment.");
const tooMany = (name: LimitName, detail: string) => () => noPermit("rate_limited", name, detail);
