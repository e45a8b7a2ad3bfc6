import type { ServerResponse } from "node:http";
import type { Config } from "../../config.ts";
import { Failure } from "../../failure.ts";
import { isStreamed, sendsBytes, type Operation } from "../../contract/operations.ts";
import { createInFlightLimit, limitInFlight, releaseInFlight, type Admit } from "./in-flight.ts";
import { createTurns } from "./turns.ts";

/** Which limits of requests in flight apply at which step of a request. */
export type Admission = ReturnType<typeof createAdmission>;

/** The names of the limits, as the metrics show them. */
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

/**
 * Limits the requests in flight: in total, per caller, and those whose duration depends on the client. A caller is a user or,
 * without credentials, an address.
 */
export function createAdmission(config: Config, databaseBacklog: () => number) {
  const { MAX_IN_FLIGHT: max, MAX_IN_FLIGHT_PER_USER: maxOfUser, MAX_UPLOADS_PER_USER: maxUploadsOfUser } = config;
  const inAll = (name: LimitName, most: number) => limitInFlight(most, () => atCapacity(name));
  const turns = createTurns({
    runningMax: Math.max(1, Math.floor(config.DATABASE_POOL_SIZE * SHARE_OF_CALLER)),
    databaseBacklog,
    workMaxMs: config.MAX_QUEUE_MS,
    waitMaxMs: config.DATABASE_POOL_TIMEOUT_SECONDS * 1_000,
  });
  const perCaller = (caller: string) => caller;

  // One limit for both documents and short URLs, because both count towards the same IP address.
  const ofAddress = limitInFlight(config.MAX_IN_FLIGHT_PER_ADDRESS, () => atCapacity("address"), perCaller);
  const ofUser = limitInFlight(
    maxOfUser,
    () => tooMany("user", `You have ${maxOfUser} requests running, which is the maximum. Retry when one of them has ended.`),
    perCaller,
  );
  const everything = createInFlightLimit(max);
  /** If every slot is taken, a caller with many waiting requests loses one, so that no caller can take all of them. */
  const ofAll: Admit = (res, caller) => {
    if (res.closed) return false;
    if (everything.take(res)) return true;
    const displaced = turns.displaceFor(caller);
    if (displaced === null) throw atCapacity("all");
    releaseInFlight(displaced);
    return everything.take(res);
  };
  const uploads = [
    limitInFlight(
      maxUploadsOfUser,
      () =>
        tooMany(
          "uploads_of_user",
          `You are sending ${maxUploadsOfUser} videos, which is the maximum. Retry when one of them has arrived.`,
        ),
      perCaller,
    ),
    inAll("uploads", config.MAX_UPLOADS_IN_FLIGHT),
  ];
  // A download lasts as long as its client takes to read it, so downloads must leave room for all other requests.
  const downloads = [inAll("downloads", Math.ceil(max / 2))];

  return {
    /** For documents about the API, which have their own limits. */
    document: every(ofAddress, inAll("documents", config.MAX_DOCUMENTS_IN_FLIGHT)),
    /** For a request whose caller is known: refuses it while the service is overloaded. Comes early, because it is cheap. */
    caller(operation: Operation): (caller: string) => Disposable | null {
      if (isProbe(operation)) return () => null;
      return (caller) => {
        const arrival = turns.admit(caller);
        if (arrival === null) throw atCapacity("queue");
        return arrival;
      };
    },
    /** For a request of an operation, after authentication. */
    operation(operation: Operation): Admit {
      if (isProbe(operation)) return () => true;
      return every(
        operation.scopes === null ? ofAddress : ofUser,
        ofAll,
        ...(isStreamed(operation) ? uploads : sendsBytes(operation) ? downloads : []),
      );
    },
    /** Does the work of a request when it is its turn. Null if its client disconnects before. */
    inTurn<T>(operation: Operation): (res: ServerResponse, caller: string, work: () => Promise<T>) => Promise<T | null> {
      // An upload lasts as long as its client takes to send it.
      if (isProbe(operation) || isStreamed(operation)) return (_res, _caller, work) => work();
      return async (res, caller, work) => {
        const taken = await turns.take(caller, res);
        if (taken === null) return null;
        if (typeof taken === "string") throw atCapacity(taken === "displaced" ? "all" : "queue");
        using _turn = taken;
        return await work();
      };
    },
  };
}

/** Health checks are cheap and must work when the service is overloaded, so no limit applies. */
const isProbe = ({ ratePolicy }: Operation) => ratePolicy === "none";

const every =
  (...checks: readonly Admit[]): Admit =>
  (res, caller) =>
    checks.every((admit) => admit(res, caller));

const limitOf = (name: LimitName) => ({ on: "requests in flight", name }) as const;

const atCapacity = (name: LimitName) =>
  new Failure("unavailable", "The service is overloaded. Try again in a moment.", { retryAfterSeconds: 1, limit: limitOf(name) });

const tooMany = (name: LimitName, detail: string) =>
  new Failure("rate_limited", detail, { retryAfterSeconds: 1, limit: limitOf(name) });
