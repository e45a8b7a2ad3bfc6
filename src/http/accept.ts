import type { RequestHandler } from "express";
import Negotiator from "negotiator";
import { Failure } from "../failure.ts";
import { JSON_TYPE, type Operation } from "../contract/operations.ts";

/** A parameter of a media type, unless it is the weight: the next name, and its value as a token or in quotes. */
const PARAMETER = /;\s*(?!q\s*=)[^\s;,="]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?/gi;

/**
 * Whether an Accept header takes a media type (RFC 9110, 12.5.1). Its parameters are left out, as none of ours has more
 * than one form: `application/json;charset=utf-8` asks for what we send.
 */
function accepts(header: string | undefined, mediaType: string): boolean {
  if (header === undefined || header.trim() === "") return true;
  const accept = header.replaceAll(PARAMETER, "");
  return new Negotiator({ headers: { accept } }).mediaType([mediaType]) !== undefined;
}

/**
 * Refuses with 406 a client that does not take JSON where the answer is JSON. All else is sent whatever Accept says: an
 * answer without a body has no form, and a picture or a video has one only, which its address stands for.
 */
export function requireAccepted({ produces }: Operation): RequestHandler {
  if (produces !== JSON_TYPE) return (_req, _res, next) => next();
  return (req, _res, next) => {
    if (!accepts(req.headers.accept, JSON_TYPE))
      throw new Failure(
        "not_acceptable",
        "The response is application/json, but your Accept header excludes it. Accept it, or leave the header out.",
      );
    next();
  };
}
