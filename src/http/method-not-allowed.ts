import type { RequestHandler } from "express";
import { Failure } from "../failure.ts";

/** Refuses with 405 what is none of the methods of a resource. */
export const refuseMethod =
  (methods: readonly string[]): RequestHandler =>
  (req) => {
    const detail = `${req.method} is not supported here. Supported methods: ${methods.join(", ")}.`;
    throw new Failure("method_not_allowed", detail, { methods });
  };
