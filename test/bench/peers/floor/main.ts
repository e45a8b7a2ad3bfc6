import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createApi, type Created, type Sort } from "../domain/api.ts";
import { requireScope, type Principal } from "../domain/credentials.ts";
import { invalid, notFound, problemOf, Refusal } from "../domain/refusal.ts";
import { readSettings } from "../domain/settings.ts";
import { createPgStore } from "../domain/store-pg.ts";

// What every framework has to be measured against: node:http, one statement each, and checks written by hand.

const settings = readSettings();
const api = createApi(createPgStore(settings), settings);

const UUID = "([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})";
const URL_PATH = /^\/urls\/([A-Za-z0-9][A-Za-z0-9_-]{3,63})$/;
const FOLLOW_PATH = /^\/u\/([A-Za-z0-9][A-Za-z0-9_-]{3,63})$/;
const MESSAGES_PATH = new RegExp(`^/conversations/${UUID}/messages$`);
const AUTHOR = new RegExp(`^${UUID}$`);
const CURSOR = /^[A-Za-z0-9._-]{1,512}$/;
const KEY = /^("[A-Za-z0-9._:~+/=-]{8,128}"|[A-Za-z0-9._:~+/=-]{8,128})$/;
const TITLE = /^ *[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$/;
const TEXT = /^\s*[^\s\x00][^\x00]*$/;
const BODY_BYTES_MAX = 1_048_576;

async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = req.url!;
  const mark = url.indexOf("?");
  const path = mark === -1 ? url : url.slice(0, mark);
  const query = () => new URLSearchParams(mark === -1 ? "" : url.slice(mark + 1));
  const route = `${req.method} ${path}`;

  if (route === "GET /health") return send(res, 200, await api.health());
  if (route === "GET /posts") {
    await authenticate(req, "posts:read");
    return send(res, 200, await api.listPosts(postQuery(query())));
  }
  if (route === "POST /posts") {
    const caller = await authenticate(req, "posts:write");
    const key = req.headers["idempotency-key"] as string | undefined;
    if (key !== undefined) text(key, "Idempotency-Key", KEY);
    const { title, body, ...rest } = await readJson(req);
    const post = { title: text(title, "title", TITLE, 200), body: text(body, "body", TEXT, 10_000) };
    refuseOthers(rest);
    return sendCreated(res, await api.createPost(caller, post, key));
  }
  if (route === "GET /conversations") {
    const caller = await authenticate(req, "conversations:read");
    return send(res, 200, await api.listConversations(caller, listQuery(query(), [])));
  }
  if (route === "GET /notifications") {
    const caller = await authenticate(req, "notifications:read");
    const parameters = query();
    const list = listQuery(parameters, ["status", "kind"]);
    const status = oneOf(parameters.get("status"), "status", ["unread", "read"] as const);
    return send(res, 200, await api.listNotifications(caller, { ...list, status, kind: parameters.get("kind") ?? undefined }));
  }
  if (req.method === "GET") {
    const [, followed] = FOLLOW_PATH.exec(path) ?? [];
    if (followed !== undefined) {
      res.writeHead(302, { location: await api.followUrl(followed) }).end();
      return;
    }
    const [, id] = URL_PATH.exec(path) ?? [];
    if (id !== undefined) return send(res, 200, await api.readUrl(await authenticate(req, "urls:read"), id));
  }
  const [, conversationId] = MESSAGES_PATH.exec(path) ?? [];
  if (conversationId !== undefined && req.method === "GET") {
    const caller = await authenticate(req, "conversations:read");
    const parameters = query();
    allowOnly(parameters, ["limit", "before", "after"]);
    const page = { limit: limitOf(parameters), before: cursorOf(parameters, "before"), after: cursorOf(parameters, "after") };
    return send(res, 200, await api.listMessages(caller, conversationId, page));
  }
  if (conversationId !== undefined && req.method === "POST") {
    const caller = await authenticate(req, "conversations:write");
    const key = text(req.headers["idempotency-key"], "Idempotency-Key", KEY);
    const { body, ...rest } = await readJson(req);
    refuseOthers(rest);
    return sendCreated(res, await api.createMessage(caller, conversationId, text(body, "body", TEXT, 4_000), key));
  }
  throw notFound("path");
}

async function authenticate(req: IncomingMessage, scope: string): Promise<Principal> {
  const principal = await api.authenticate(req.headers.authorization);
  requireScope(principal, scope);
  return principal;
}

function postQuery(parameters: URLSearchParams) {
  const offset = parameters.get("offset");
  const author = parameters.get("author") ?? undefined;
  if (author !== undefined) text(author, "author", AUTHOR);
  const at = offset === null ? undefined : Number(offset);
  if (at !== undefined && !(Number.isInteger(at) && at >= 0 && at <= 10_000)) throw invalid("offset is an integer up to 10000.");
  return { ...listQuery(parameters, ["offset", "author"]), author, offset: at };
}

function listQuery(parameters: URLSearchParams, others: readonly string[]) {
  allowOnly(parameters, ["limit", "after", "sort", ...others]);
  const sort: Sort = oneOf(parameters.get("sort"), "sort", ["created_at", "-created_at"] as const) ?? "-created_at";
  return { limit: limitOf(parameters), sort, after: cursorOf(parameters, "after") };
}

function allowOnly(parameters: URLSearchParams, names: readonly string[]): void {
  for (const name of parameters.keys()) if (!names.includes(name)) throw invalid(`There is no parameter ${name}.`);
}

function limitOf(parameters: URLSearchParams): number {
  const limit = Number(parameters.get("limit") ?? 20);
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= 100)) throw invalid("limit is an integer from 1 to 100.");
  return limit;
}

function cursorOf(parameters: URLSearchParams, name: string): string | undefined {
  const cursor = parameters.get(name);
  return cursor === null ? undefined : text(cursor, name, CURSOR);
}

function oneOf<T extends string>(value: string | null, name: string, values: readonly T[]): T | undefined {
  if (value === null) return undefined;
  if (!values.includes(value as T)) throw invalid(`${name} is one of ${values.join(", ")}.`);
  return value as T;
}

function text(value: unknown, name: string, pattern: RegExp, max = Infinity): string {
  if (typeof value !== "string" || value.length > max || !pattern.test(value)) throw invalid(`${name} has the wrong form.`);
  return value;
}

function refuseOthers(rest: object): void {
  for (const name of Object.keys(rest)) throw invalid(`There is no field ${name}.`);
}

function readJson(req: IncomingMessage): Promise<Record<string, unknown>> {
  if (!req.headers["content-type"]?.startsWith("application/json"))
    return Promise.reject(new Refusal(415, "unsupported_media_type", "Send application/json."));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    req.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > BODY_BYTES_MAX) reject(new Refusal(413, "content_too_large", "The body is too long."));
      else chunks.push(chunk);
    });
    req.on("error", reject);
    req.on("end", () => {
      try {
        const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
        if (typeof body !== "object" || body === null) throw new Error("It is no object.");
        resolve(body as Record<string, unknown>);
      } catch {
        reject(new Refusal(400, "malformed_body", "The body is not a JSON object."));
      }
    });
  });
}

function send(res: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const json = JSON.stringify(body);
  res.writeHead(status, { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(json) }).end(json);
}

const sendCreated = (res: ServerResponse, { body, headers }: Created<unknown>) => send(res, 201, body, headers);

function refuse(res: ServerResponse, error: unknown): void {
  const refusal = error instanceof Refusal ? error : new Refusal(500, "internal_error", "Something went wrong.");
  if (refusal !== error) console.error(error);
  send(res, refusal.status, problemOf(refusal), { "content-type": "application/problem+json" });
}

createServer((req, res) => void handle(req, res).catch((error: unknown) => refuse(res, error))).listen(
  settings.port,
  "127.0.0.1",
);
