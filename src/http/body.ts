import { isUtf8 } from "node:buffer";
import express, { type Request, type RequestHandler, type Response } from "express";
import type { InputErrorCode } from "#generated/operations.ts";
import { contentTooLarge, Failure } from "../failure.ts";
import { inputFailure } from "./input-failure.ts";
import { hasBody } from "./has-body.ts";
import { endAfterUnreadBody } from "./message.ts";
import type { Operation } from "../contract/operations.ts";

/** 10,000 emoji, each escaped as two \uXXXX, and some. */
const JSON_LIMIT_BYTES = 128 * 1024;
const JSON_TIMEOUT_MS = 10_000;
const DEPTH_MAX = 32;
/**
 * Fields and items of a body in all, twice what the longest list of the contract holds. Validation looks at every one,
 * describes each that is wrong, and compares the items of a list with one another: 14,000 would hold up everybody for
 * 200 ms.
 */
const MEMBERS_MAX = 256;

const parseJson = express.json({
  limit: JSON_LIMIT_BYTES,
  inflate: false,
  strict: false,
  type: () => true,
  // The parser would put U+FFFD for what is not UTF-8, and store something that nobody sent.
  verify: (_req, _res, bytes) => {
    if (!isUtf8(bytes)) throw new Failure("malformed_body", "The body is not valid UTF-8.");
  },
});

/**
 * Looks at the declared media type before a byte is read, and leaves nothing of it but lower-case `type/subtype`: the
 * schemas that are compiled for each media type are then as many as the contract has.
 */
export function requireMediaType(operation: Operation): RequestHandler {
  return (req, res, next) => {
    const sent = req.headers["content-type"];
    if (operation.body === null || !hasBody(req)) {
      delete req.headers["content-type"];
      if (operation.body === "application/json") throw new Failure("malformed_body", "This operation requires a JSON body.");
      if (operation.body !== null && sent === undefined) {
        // Nothing, of no declared type: what that means is for the operation to say.
        req.headers["content-type"] = operation.body;
        return next();
      }
    }
    if (operation.body === null) {
      endAfterUnreadBody(req, res);
      return next();
    }
    if ((req.headers["content-encoding"] ?? "identity").toLowerCase() !== "identity")
      throw new Failure("unsupported_media_type", "Send the body without Content-Encoding.");
    const [type = "", ...parameters] = (sent ?? "")
      .toLowerCase()
      .split(";")
      .map((part) => part.trim());
    if (!operation.bodies.some((it) => isWithin(type, it))) throw unsupported(operation.bodies);
    if (type === "application/json" && parameters.some((it) => it.startsWith("charset=") && !/^charset="?utf-?8"?$/.test(it))) {
      throw new Failure("unsupported_media_type", "Send the JSON as UTF-8.");
    }
    // Of the media types that are taken alike, one stands for all from here on.
    req.headers["content-type"] = operation.body;
    next();
  };
}

/** Whether a media type is another one, or within a range such as `video/*`. */
const isWithin = (type: string, range: string) => (range.endsWith("/*") ? type.startsWith(range.slice(0, -1)) : type === range);

function unsupported(expected: readonly string[]): Failure {
  return new Failure("unsupported_media_type", `Send the body as Content-Type: ${expected.join(" or ")}.`, {
    mediaTypes: expected,
  });
}

/** Says 413 as soon as the declared length tells, before a byte is read. */
export function limitLength(operation: Operation, maxUploadBytes: number): RequestHandler {
  const [noun, maxBytes] =
    operation.body === "application/json" ? (["The body", JSON_LIMIT_BYTES] as const) : (["A video", maxUploadBytes] as const);
  return (req, _res, next) => {
    if (operation.body !== null && Number(req.headers["content-length"] ?? 0) > maxBytes) throw contentTooLarge(noun, maxBytes);
    next();
  };
}

/** Asks for the body of a client that waits to be asked (RFC 9110, 10.1.1), now that it is wanted. */
export function askForBody(req: Request, res: Response): void {
  res.locals["bodyWanted"] = true;
  if (/\b100-continue\b/i.test(req.headers.expect ?? "")) res.writeContinue();
}

/** Reads a JSON body within its size and time limits; anything else is a 4xx that says what was wrong. */
export const readJson: RequestHandler = (req, res, next) => {
  let over = false;
  const finish = (error?: unknown) => {
    clearTimeout(timer);
    if (!over) next(error);
    over = true;
  };
  const timer = setTimeout(() => finish(new Failure("request_timeout", "The body did not arrive in time.")), JSON_TIMEOUT_MS);
  askForBody(req, res);
  parseJson(req, res, (error?: unknown) => {
    const flaw = error === undefined ? flawOf(req.body) : undefined;
    finish(flaw ? inputFailure("body", flaw.pointer, flaw.code, flaw.detail) : error);
  });
};

/**
 * What the contract's schemas let pass and PostgreSQL or JavaScript would not keep: NUL, unpaired surrogates, integers beyond
 * 2^53, values of 20,000 levels, and more members than anybody means; and, in the query, integers that are spelt like `1e1`.
 */
export function checkQuery(operation: Operation): RequestHandler {
  return (req, _res, next) => {
    const isChecked = ([name]: [string, unknown]) => !operation.ignoresUnknownQuery || operation.queryParameters.includes(name);
    const query = Object.fromEntries(Object.entries(req.query).filter(isChecked));
    const flaw = flawOf(query);
    if (flaw) throw inputFailure("query", flaw.pointer, flaw.code, flaw.detail);
    for (const name of operation.integerParameters) {
      const value = query[name];
      if (value !== undefined && !(typeof value === "string" && /^(0|-?[1-9]\d{0,15})$/.test(value))) {
        throw inputFailure("query", `/${name}`, "type", "must be an integer in plain digits");
      }
    }
    next();
  };
}

type Flaw = { readonly pointer: string; readonly code: InputErrorCode; readonly detail: string };

function flawOf(whole: unknown): Flaw | undefined {
  let members = 0;
  return flawIn(whole, "", 0);

  function flawIn(value: unknown, pointer: string, depth: number): Flaw | undefined {
    if (depth > DEPTH_MAX) return { pointer, code: "depth", detail: "is nested too deeply" };
    if (typeof value === "string") return textFlaw(value, pointer);
    if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value))
      return { pointer, code: "maximum", detail: "is too large for an exact JSON integer" };
    if (typeof value !== "object" || value === null) return undefined;
    if (Array.isArray(value) && value.length > MEMBERS_MAX) return { pointer, code: "maxItems", detail: "has too many items" };
    const entries = Object.entries(value);
    members += entries.length;
    if (members > MEMBERS_MAX)
      return { pointer: "", code: "maxProperties", detail: `has more than ${MEMBERS_MAX} fields and items in all` };
    for (const [key, member] of entries) {
      const name = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const flaw = textFlaw(key, pointer) ?? nameFlaw(key, name) ?? flawIn(member, name, depth + 1);
      if (flaw) return flaw;
    }
    return undefined;
  }
}

/** No name of the contract has these characters; found here, they can be escaped in the pointer as RFC 6901 asks. */
function nameFlaw(key: string, pointer: string): Flaw | undefined {
  return /[~/]/.test(key) ? { pointer, code: "additionalProperties", detail: "is unknown" } : undefined;
}

function textFlaw(text: string, pointer: string): Flaw | undefined {
  if (text.includes("\0")) return { pointer, code: "pattern", detail: "must not contain U+0000" };
  if (!text.isWellFormed()) return { pointer, code: "pattern", detail: "must not contain unpaired surrogates" };
  return undefined;
}
