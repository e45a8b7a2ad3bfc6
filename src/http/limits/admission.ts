import type { Config } from "../../config.ts";
import { Failure } from "../../failure.ts";
import type { Admit, Exchange } from "../exchange.ts";
import type { AddressOf } from "./client-address.ts";
import { everyOperation, isStreamed, sendsBytes, type Operation } from "../../contract/operations.ts";
import { limitInFlight } from "./in-flight.ts";

/** Which limits of requests in flight apply at which step of a request. */
export type Admission = ReturnType<typeof createAdmission>;

/** The paths of health checks. These are cheap and must work when the service is overloaded, so no limit applies. */
const PROBES: ReadonlySet<string> = new Set(everyOperation.filter((it) => it.ratePolicy === "none").map((it) => it.path));

/** The names of the limits, as the metrics show them. */
export const IN_FLIGHT_LIMITS = ["all", "user", "address", "documents", "uploads", "uploads_of_user", "downloads"] as const;
type LimitName = (typeof IN_FLIGHT_LIMITS)[number];

/** Limits the requests in flight: in total, per caller, and those whose duration depends on the client. */
export function createAdmission(config: Config, addressOf: AddressOf) {
  const { MAX_IN_FLIGHT: max, MAX_IN_FLIGHT_PER_USER: maxOfUser, MAX_UPLOADS_PER_USER: maxUploadsOfUser } = config;
  const inAll = (name: LimitName, most: number) => limitInFlight(most, () => atCapacity(name));
  const ofUser = (name: LimitName, most: number, refusal: string) => limitInFlight(most, () => tooMany(name, refusal), userOf);

  // One limit for both documents and short URLs, because both count towards the same IP address.
  const ofAddress = limitInFlight(
    config.MAX_IN_FLIGHT_PER_ADDRESS,
    () => atCapacity("address"),
    ({ req }) => addressOf(req),
  );
  const anyOfUser = ofUser(
    "user",
    maxOfUser,
    `You have ${maxOfUser} requests running, which is the maximum. Retry when one of them has ended.`,
  );
  const uploads = [
    ofUser(
      "uploads_of_user",
      maxUploadsOfUser,
      `You are sending ${maxUploadsOfUser} videos, which is the maximum. Retry when one of them has arrived.`,
    ),
    inAll("uploads", config.MAX_UPLOADS_IN_FLIGHT),
  ];
  // A download lasts as long as its client takes to read it, so downloads must leave room for all other requests.
  const downloads = [inAll("downloads", Math.ceil(max / 2))];

  return {
    /** For documents about the API, which have their own limits. */
    document: every(ofAddress, inAll("documents", config.MAX_DOCUMENTS_IN_FLIGHT)),
    /** For every request of the API, before its operation is known. */
    request: exceptProbes(inAll("all", max)),
    /** For a request of an operation, after authentication. */
    operation: (operation: Operation) =>
      every(
        operation.scopes === null ? exceptProbes(ofAddress) : anyOfUser,
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
