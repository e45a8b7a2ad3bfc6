import type { Request, Response } from "express";
import { problems } from "#generated/problems.ts";
import type { Schemas } from "../contract.ts";
import type { Failure } from "../failure.ts";

type Problem = Schemas["Problem"];

/** The status that the catalogue gives to a failure. */
export function statusOf(failure: Failure): number {
  return problems[failure.code].status;
}

/** RFC 9457: the only form in which this service says no. */
export function problemOf(failure: Failure, requestId: string): Problem {
  const { status, title } = problems[failure.code];
  return {
    type: `/problems/${failure.code}`,
    title,
    status,
    detail: failure.detail.slice(0, 1_000),
    code: failure.code,
    request_id: requestId,
    ...(failure.errors.length > 0 ? { errors: failure.errors.slice(0, 50) } : {}),
  };
}

/** The headers of a refusal, beside those that every answer carries. */
export function problemHeaders(failure: Failure): Readonly<Record<string, string>> {
  return { ...CHALLENGES[failure.code], ...failure.headers };
}

const CHALLENGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  unauthenticated: { "WWW-Authenticate": 'Bearer realm="plumbline"' },
  invalid_token: { "WWW-Authenticate": 'Bearer realm="plumbline", error="invalid_token"' },
  insufficient_scope: { "WWW-Authenticate": 'Bearer realm="plumbline", error="insufficient_scope"' },
};

/**
 * Answers with a problem. Sends a string, never `res.json`: that one is wrapped by the response validation, whose own
 * errors would then be thrown inside the error handler.
 */
export function sendProblem(req: Request, res: Response, failure: Failure): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  for (const name of ["ETag", "Location", "Content-Type", "Content-Length", "Content-Range", "Accept-Ranges"]) res.removeHeader(name);
  res.set("Cache-Control", "no-store");
  res.set(problemHeaders(failure));
  // What is left of a body that nobody will read would otherwise be taken for the next request.
  if (!req.complete) res.set("Connection", "close");
  res.status(statusOf(failure)).type("application/problem+json").send(JSON.stringify(problemOf(failure, String(res.getHeader("X-Request-Id")))));
}
