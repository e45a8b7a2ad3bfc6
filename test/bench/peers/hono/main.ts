import { serve } from "@hono/node-server";
import { createRoute, OpenAPIHono, type z } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { createApi } from "../domain/api.ts";
import { requireScope, type Principal } from "../domain/credentials.ts";
import { invalid, problemOf, Refusal } from "../domain/refusal.ts";
import { readSettings } from "../domain/settings.ts";
import { createPgStore } from "../domain/store-pg.ts";
import * as schemas from "./schemas.ts";

type Env = { Variables: { principal: Principal } };

const settings = readSettings();
const api = createApi(createPgStore(settings), settings);

const app = new OpenAPIHono<Env>({
  defaultHook: (result) => {
    if (!result.success) throw invalid(result.error.message);
  },
});

const bearer = (scope: string) =>
  createMiddleware<Env>(async (c, next) => {
    const principal = await api.authenticate(c.req.header("authorization"));
    requireScope(principal, scope);
    c.set("principal", principal);
    await next();
  });

const json = <T extends z.ZodType>(schema: T) => ({ content: { "application/json": { schema } } });
const responds = <T extends z.ZodType>(schema: T) => ({ description: "Success", ...json(schema) });
const sent = <T extends z.ZodType>(schema: T) => ({ ...json(schema), required: true });

app.openapi(createRoute({ method: "get", path: "/health", responses: { 200: responds(schemas.Health) } }), async (c) =>
  c.json(await api.health(), 200),
);

app.openapi(
  createRoute({
    method: "get",
    path: "/urls/{id}",
    middleware: [bearer("urls:read")] as const,
    request: { params: schemas.UrlParams },
    responses: { 200: responds(schemas.Url) },
  }),
  async (c) => c.json(await api.readUrl(c.var.principal, c.req.valid("param").id), 200),
);

app.openapi(
  createRoute({
    method: "get",
    path: "/u/{id}",
    request: { params: schemas.UrlParams },
    responses: { 302: { description: "The target" } },
  }),
  async (c) => c.redirect(await api.followUrl(c.req.valid("param").id), 302),
);

app.openapi(
  createRoute({
    method: "get",
    path: "/posts",
    middleware: [bearer("posts:read")] as const,
    request: { query: schemas.PostListQuery },
    responses: { 200: responds(schemas.PostPage) },
  }),
  async (c) => c.json(await api.listPosts(c.req.valid("query")), 200),
);

app.openapi(
  createRoute({
    method: "post",
    path: "/posts",
    middleware: [bearer("posts:write")] as const,
    request: { headers: schemas.OptionalKey, body: sent(schemas.NewPost) },
    responses: { 201: responds(schemas.Post) },
  }),
  async (c) => {
    const key = c.req.valid("header")["idempotency-key"];
    const { body, headers } = await api.createPost(c.var.principal, c.req.valid("json"), key);
    return c.json(body, 201, headers);
  },
);

app.openapi(
  createRoute({
    method: "get",
    path: "/conversations",
    middleware: [bearer("conversations:read")] as const,
    request: { query: schemas.ListQuery },
    responses: { 200: responds(schemas.ConversationPage) },
  }),
  async (c) => c.json(await api.listConversations(c.var.principal, c.req.valid("query")), 200),
);

app.openapi(
  createRoute({
    method: "get",
    path: "/conversations/{conversationId}/messages",
    middleware: [bearer("conversations:read")] as const,
    request: { params: schemas.ConversationParams, query: schemas.MessageListQuery },
    responses: { 200: responds(schemas.MessagePage) },
  }),
  async (c) => {
    const { conversationId } = c.req.valid("param");
    return c.json(await api.listMessages(c.var.principal, conversationId, c.req.valid("query")), 200);
  },
);

app.openapi(
  createRoute({
    method: "post",
    path: "/conversations/{conversationId}/messages",
    middleware: [bearer("conversations:write")] as const,
    request: { params: schemas.ConversationParams, headers: schemas.RequiredKey, body: sent(schemas.NewMessage) },
    responses: { 201: responds(schemas.Message) },
  }),
  async (c) => {
    const { conversationId } = c.req.valid("param");
    const key = c.req.valid("header")["idempotency-key"];
    const { body, headers } = await api.createMessage(c.var.principal, conversationId, c.req.valid("json").body, key);
    return c.json(body, 201, headers);
  },
);

app.openapi(
  createRoute({
    method: "get",
    path: "/notifications",
    middleware: [bearer("notifications:read")] as const,
    request: { query: schemas.NotificationListQuery },
    responses: { 200: responds(schemas.NotificationPage) },
  }),
  async (c) => c.json(await api.listNotifications(c.var.principal, c.req.valid("query")), 200),
);

app.onError((error, c) => {
  const refusal =
    error instanceof Refusal ? error : new Refusal(error instanceof HTTPException ? error.status : 500, "error", error.message);
  if (refusal.status >= 500) console.error(error);
  return c.json(problemOf(refusal), refusal.status as ContentfulStatusCode, { "content-type": "application/problem+json" });
});

serve({ fetch: app.fetch, port: settings.port, hostname: "127.0.0.1" });
