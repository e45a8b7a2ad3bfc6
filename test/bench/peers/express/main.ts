import express, { type ErrorRequestHandler, type Request } from "express";
import * as OpenApiValidator from "express-openapi-validator";
import {
  createApi,
  type ListQuery,
  type MessageListQuery,
  type NotificationListQuery,
  type PostListQuery,
} from "../domain/api.ts";
import { requireScope, type Principal } from "../domain/credentials.ts";
import { problemOf, Refusal } from "../domain/refusal.ts";
import { readSettings } from "../domain/settings.ts";
import { createPrismaStore } from "../domain/store-prisma.ts";

// Express and its validator as their documentation shows them: requests, responses and security are left to the validator.

const settings = readSettings();
const api = createApi(createPrismaStore(settings), settings);

type Identified = Request & { principal?: Principal };
const principalOf = (req: Identified) => req.principal!;
/** The validator has checked it, and has added the defaults. */
const queryOf = <T>(req: Request) => req.query as unknown as T;
/** The validator doesn't read a default that is next to a reference. */
const sorted = <T extends ListQuery>(query: T): T => ({ ...query, sort: query.sort ?? "-created_at" });

const app = express();
app.use(express.json());
app.use(express.text());
app.use(express.urlencoded({ extended: false }));

app.use(
  OpenApiValidator.middleware({
    apiSpec: "./generated/openapi.yaml",
    validateRequests: true,
    validateResponses: true,
    validateSecurity: {
      handlers: {
        bearer_auth: async (req, scopes) => {
          const principal = await api.authenticate(req.headers.authorization);
          for (const scope of scopes) requireScope(principal, scope);
          (req as Identified).principal = principal;
          return true;
        },
      },
    },
  }),
);

app.get("/health", async (_req, res) => {
  res.json(await api.health());
});

app.get("/urls/:id", async (req, res) => {
  res.json(await api.readUrl(principalOf(req), req.params.id));
});

app.get("/u/:id", async (req, res) => {
  res.redirect(await api.followUrl(req.params.id));
});

app.get("/posts", async (req, res) => {
  res.json(await api.listPosts(sorted(queryOf<PostListQuery>(req))));
});

app.post("/posts", async (req, res) => {
  const { body, headers } = await api.createPost(
    principalOf(req),
    req.body as { title: string; body: string },
    req.get("Idempotency-Key"),
  );
  res.status(201).set(headers).json(body);
});

app.get("/conversations", async (req, res) => {
  res.json(await api.listConversations(principalOf(req), sorted(queryOf<ListQuery>(req))));
});

app
  .route("/conversations/:conversationId/messages")
  .get(async (req, res) => {
    res.json(await api.listMessages(principalOf(req), req.params.conversationId, queryOf<MessageListQuery>(req)));
  })
  .post(async (req, res) => {
    const { body: text } = req.body as { body: string };
    const key = req.get("Idempotency-Key")!;
    const { body, headers } = await api.createMessage(principalOf(req), req.params.conversationId, text, key);
    res.status(201).set(headers).json(body);
  });

app.get("/notifications", async (req, res) => {
  res.json(await api.listNotifications(principalOf(req), sorted(queryOf<NotificationListQuery>(req))));
});

const refuse: ErrorRequestHandler = (error: Error & { status?: number }, _req, res, _next) => {
  const refusal = error instanceof Refusal ? error : new Refusal(error.status ?? 500, "error", error.message);
  if (refusal.status >= 500) console.error(error);
  // A string, because the validator would check the JSON of an error against the contract, too.
  res
    .status(refusal.status)
    .type("application/problem+json")
    .send(JSON.stringify(problemOf(refusal)));
};
app.use(refuse);

app.listen(settings.port, "127.0.0.1");
