import { IncomingMessage, ServerResponse } from "node:http";
import type { Express } from "express";

/**
 * The message classes of a server. Express changes the prototype of each request and response. After `adopt`, they are created with that
 * prototype, so that V8 keeps its optimizations.
 */
export function createMessageClasses() {
  const Request = replaceable(IncomingMessage);
  const Response = replaceable(ServerResponse);
  return {
    /** For `createServer`. */
    classes: { IncomingMessage: Request, ServerResponse: Response },
    adopt(app: Express): void {
      Object.assign(Request, { prototype: app.request });
      Object.assign(Response, { prototype: app.response });
    },
  };
}

/** A class as a function, because the prototype of a function can be replaced. */
function replaceable<T extends typeof IncomingMessage | typeof ServerResponse>(base: T): T {
  const result = function (...parts: unknown[]): object {
    return Reflect.construct(base, parts, result) as object;
  };
  result.prototype = base.prototype as object;
  return result as unknown as T;
}
