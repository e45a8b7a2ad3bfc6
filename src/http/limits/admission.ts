import type { Config } from "../../config.ts";
import { Failure } from "../../failure.ts";
import type { Admit, Exchange } from "../exchange.ts";
import type { AddressOf } from "./client-address.ts";
import { everyOperation, isStreamed, sendsBytes, type Operation } from "../../contract/operations.ts";
import { admitIn, createInFlightLimit, limitInFlight } from "./in-flight.ts";
import { createStandingQueue } from "./standing-queue.ts";

/** Which limits of requests in flight apply at which step of a request. */
export type Admission = ReturnType<typeof createAdmission>;

/** The paths of health checks. These are cheap and must work when the service is overloaded, so no limit applies. */
const PROBES: ReadonlySet<string> = new Set(everyOperation.filter((it) => it.ratePolicy === "none").map((it) => it.path));

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

/** Limits the requests in flight: in total, per caller, and those whose duration depends on the client. */
export function createAdmission(config: Config, addressOf: AddressOf, queueLength: () => number) {
  const { MAX_IN_FLIGHT: max, MAX_IN_FLIGHT_PER_USER: maxOfUser, MAX_UPLOADS_PER_USER: maxUploadsOfUser } = config;
  const inAll = (name: LimitName, most: number) => limitInFlight(most, () => atCapacity(name));
  const queue = createStandingQueue({
    length: queueLength,
    usualLength: config.DATABASE_POOL_SIZE,
    maxWaitMs: config.MAX_QUEUE_MS,
  });
  const usersInFlight = createInFlightLimit(maxOfUser, queue.onEnded);

  // One limit for both documents and short URLs, because both count towards the same IP address.
  const ofAddress = admitIn(
    createInFlightLimit(config.MAX_IN_FLIGHT_PER_ADDRESS, queue.onEnded),
    () => atCapacity("address"),
    ({ req }) => addressOf(req),
  );
  const ofUser = admitIn(
    usersInFlight,
    () => tooMany("user", `You have ${maxOfUser} requests running, which is the maximum. Retry when one of them has ended.`),
    userOf,
  );
  const queueNow = () => (config.MAX_QUEUE_MS > 0 ? queue.limit() : null);
  /** Refuses a request if a queue stands that even fair shares can't explain. Before authentication, because it is cheap. */
  const inQueue: Admit = () => {
    const limit = queueNow();
    if (limit !== null && limit.waiting >= 8 * limit.most) throw atCapacity("queue");
    return true;
  };
  /** If a queue that stands is too long, refuses a request of a user with more than a fair share. One request is always fair. */
  const inShareOfUser: Admit = (exchange) => {
    const limit = queueNow();
    if (limit === null || limit.waiting < limit.most) return true;
    const share = Math.max(1, limit.most / Math.max(1, usersInFlight.keys()));
    if (usersInFlight.countOf(userOf(exchange)) >= share) throw atCapacity("queue");
    return true;
  };
  const uploads = [
    limitInFlight(
      maxUploadsOfUser,
      () =>
        tooMany(
          "uploads_of_user",
          `You are sending ${maxUploadsOfUser} videos, which is the maximum. Retry when one of them has arrived.`,
        ),
      userOf,
    ),
    inAll("uploads", config.MAX_UPLOADS_IN_FLIGHT),
  ];
  // A download lasts as long as its client takes to read it, so downloads must leave room for all other requests.
  const downloads = [inAll("downloads", Math.ceil(max / 2))];

  return {
    /** For documents about the API, which have their own limits. */
    document: every(ofAddress, inAll("documents", config.MAX_DOCUMENTS_IN_FLIGHT)),
    /** For every request of the API, before its operation is known. */
    request: exceptProbes(every(inQueue, inAll("all", max))),
    /** For a request of an operation, after authentication. */
    operation: (operation: Operation) =>
      every(
        // The share comes first: a refused request must not count as one that has ended.
        ...(operation.scopes === null ? [exceptProbes(ofAddress)] : [inShareOfUser, ofUser]),
        ...(isStreamed(operation) ? uploads : sendsBytes(operation) ? downloads : []),
      ),
  };
}

const userOf = ({ principal }: Exchange) => principal?.userId ?? "";

const every =
  (...checks: readonly Admit[]): Admit =>
  (exchange) =>
    checks.every((admit) => admit(exchange));

const limitOf = (name: LimitName) => ({ on: "requests in flight", name }) as const;

const atCapacity = (name: LimitName) =>
  new Failure("unavailable", "The service is overloaded. Try again in a moment.", { retryAfterSeconds: 1, limit: limitOf(name) });

const tooMany = (name: LimitName, detail: string) =>
  new Failure("rate_limited", detail, { retryAfterSeconds: 1, limit: limitOf(name) });

const exceptProbes =
  (admit: Admit): Admit =>
  (exchange) =>
    PROBES.has(exchange.path) || admit(exchange);
