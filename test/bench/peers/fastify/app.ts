import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import Fastify, { type FastifyError, type FastifyRequest, type onRequestAsyncHookHandler } from "fastify";
import type { Api } from "../domain/api.ts";
import { requireScope, type Principal } from "../domain/credentials.ts";
import { problemOf, Refusal } from "../domain/refusal.ts";
import * as schemas from "./schemas.ts";

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | null;
  }
}

/** Schemas for requests and responses, so that Fastify compiles a validator and a serializer for each route. */
export function createFastifyApp(api: Api) {
  const app = Fastify({ ajv: { customOptions: { removeAdditional: false } } }).withTypeProvider<TypeBoxTypeProvider>();

  app.decorateRequest("principal", null);
  const bearer = (scope: string): onRequestAsyncHookHandler =>
    async function (request) {
      request.principal = await api.authenticate(request.headers.authorization);
      requireScope(request.principal, scope);
    };
  const principalOf = (request: { principal: FastifyRequest["principal"] }) => request.principal!;

  app.setErrorHandler((error: FastifyError | Refusal, _request, reply) => {
    const refusal =
      error instanceof Refusal
        ? error
        : new Refusal(
            "statusCode" in error ? (error.statusCode ?? 500) : 500,
            "code" in error ? error.code : "error",
            error.message,
          );
    if (refusal.status >= 500) console.error(error);
    return reply.code(refusal.status).type("application/problem+json").send(problemOf(refusal));
  });

  app.get("/health", { schema: { response: { 200: schemas.Health } } }, () => api.health());

  app.get(
    "/urls/:id",
    { onRequest: bearer("urls:read"), schema: { params: schemas.UrlParams, response: { 200: schemas.Url } } },
    (request) => api.readUrl(principalOf(request), request.params.id),
  );

  app.get("/u/:id", { schema: { params: schemas.UrlParams } }, async (request, reply) =>
    reply.redirect(await api.followUrl(request.params.id), 302),
  );

  app.get(
    "/posts",
    { onRequest: bearer("posts:read"), schema: { querystring: schemas.PostListQuery, response: { 200: schemas.PostPage } } },
    (request) => api.listPosts(request.query),
  );

  app.post(
    "/posts",
    {
      onRequest: bearer("posts:write"),
      schema: { headers: schemas.OptionalKey, body: schemas.NewPost, response: { 201: schemas.Post } },
    },
    async (request, reply) => {
      const { body, headers } = await api.createPost(principalOf(request), request.body, request.headers["idempotency-key"]);
      return reply.code(201).headers(headers).send(body);
    },
  );

  app.get(
    "/conversations",
    {
      onRequest: bearer("conversations:read"),
      schema: { querystring: schemas.ListQuery, response: { 200: schemas.ConversationPage } },
    },
    (request) => api.listConversations(principalOf(request), request.query),
  );

  app.get(
    "/conversations/:conversationId/messages",
    {
      onRequest: bearer("conversations:read"),
      schema: {
        params: schemas.ConversationParams,
        querystring: schemas.MessageListQuery,
        response: { 200: schemas.MessagePage },
      },
    },
    (request) => api.listMessages(principalOf(request), request.params.conversationId, request.query),
  );

  app.post(
    "/conversations/:conversationId/messages",
    {
      onRequest: bearer("conversations:write"),
      schema: {
        params: schemas.ConversationParams,
        headers: schemas.RequiredKey,
        body: schemas.NewMessage,
        response: { 201: schemas.Message },
      },
    },
    async (request, reply) => {
      const { conversationId } = request.params;
      const key = request.headers["idempotency-key"];
      const { body, headers } = await api.createMessage(principalOf(request), conversationId, request.body.body, key);
      return reply.code(201).headers(headers).send(body);
    },
  );

  app.get(
    "/notifications",
    {
      onRequest: bearer("notifications:read"),
      schema: { querystring: schemas.NotificationListQuery, response: { 200: schemas.NotificationPage } },
    },
    (request) => api.listNotifications(principalOf(request), request.query),
  );

  return app;
}
