import { describe, expect, it } from "@jest/globals";
import { scopes as everyScope } from "#generated/operations.ts";
import type { Operation } from "../../src/contract/operations.ts";
import { addUser } from "../../src/auth/users.ts";
import type { Answer, Client } from "../support/client.ts";
import { declaredResponse, operations, rawOperation } from "../support/contract.ts";
import { openConversation } from "../support/conversations.ts";
import { ask, exampleRequest } from "../support/example-requests.ts";
import { prepare } from "../support/prepare.ts";
import { createResources, gather, missingIds, type Ids } from "../support/resources.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";
import { createIssuer } from "../support/tokens.ts";

const issuer = prepare(createIssuer);
const service = prepare(() => startTestService({ ROLE: "api", ...issuer.settings }));

const nowSeconds = () => Math.floor(Date.now() / 1_000);

/** Missing or invalid credentials, and the problem code of the refusal. */
const REFUSED: Readonly<Record<string, { readonly code: string; readonly make: () => Promise<string | undefined> }>> = {
  "no token": { code: "unauthenticated", make: async () => undefined },
  "another scheme": { code: "unauthenticated", make: async () => `Basic ${Buffer.from("ada:secret").toString("base64")}` },
  "a malformed token": { code: "invalid_token", make: async () => "Bearer two words" },
  "a valid token, twice in one header": {
    code: "invalid_token",
    make: async () => `Bearer ${await apiKey({})}`.replace(/.*/, "$&, $&"),
  },
  "a token of neither kind": { code: "invalid_token", make: async () => "Bearer abc.def.ghi" },
  "an unknown API key": { code: "invalid_token", make: async () => `Bearer plumb_${"a".repeat(12)}_${"b".repeat(43)}` },
  "an API key with a wrong secret": {
    code: "invalid_token",
    make: async () => `Bearer ${(await apiKey({})).slice(0, -43)}${"b".repeat(43)}`,
  },
  "an expired API key": {
    code: "invalid_token",
    make: async () => `Bearer ${await apiKey({ expiresAt: new Date(Date.now() - 1_000) })}`,
  },
  "a revoked API key": { code: "invalid_token", make: async () => `Bearer ${await apiKey({ revokedAt: new Date() })}` },
  "an expired JWT": {
    code: "invalid_token",
    make: async () => `Bearer ${await issuer.sign({ claims: { iat: nowSeconds() - 7_200, exp: nowSeconds() - 3_600 } })}`,
  },
};

async function apiKey(change: { expiresAt?: Date; revokedAt?: Date }): Promise<string> {
  const { userId, apiKey: key } = await addUser(service.db, "Ada", everyScope);
  await service.db.apiKey.updateMany({ where: { userId }, data: change });
  return key;
}

const guarded = operations.filter((it) => it.scopes !== null);
const scoped = guarded.filter((it) => it.scopes!.length > 0);

/** A refused request must have no effect, so all refusals of an operation can use the same resources. */
const targets = new Map<string, Promise<Ids>>();
const people = prepare(() => gather(service));
function targetOf(operation: Operation): Promise<Ids> {
  const made = targets.get(operation.id) ?? createResources(operation, people);
  targets.set(operation.id, made);
  return made;
}

describe("every operation without a valid credential, on an existing resource", () => {
  it.each(guarded)("$id returns 401 with WWW-Authenticate for each invalid credential", async (operation) => {
    const request = exampleRequest(operation, await targetOf(operation));
    for (const [what, { code, make }] of Object.entries(REFUSED)) {
      const answer = await ask(service.anonymous(await make()), request);
      expect({ what, status: answer.status, code: answer.body?.code }).toEqual({ what, status: 401, code });
      expect(answer.headers.get("www-authenticate")).toMatch(
        code === "invalid_token" ? /^Bearer realm="plumbline", error="invalid_token"$/ : /^Bearer realm="plumbline"$/,
      );
    }
  });

  it.each(operations.filter((it) => it.scopes === null))(
    `${sentence("Following a short URL, playing a file by its link and checking health need no token.")} $id ignores invalid ones`,
    async (operation) => {
      const request = exampleRequest(operation, await targetOf(operation));
      for (const { make } of Object.values(REFUSED))
        expect(isSuccess(await ask(service.anonymous(await make()), request))).toBe(true);
    },
  );
});

describe("every operation that needs a scope", () => {
  it.each(scoped)(
    "$id returns 403 insufficient_scope with the scope, for an API key and a JWT with all other scopes",
    async (operation) => {
      const others = everyScope.filter((it) => !operation.scopes!.includes(it));
      const request = exampleRequest(operation, await targetOf(operation));
      const jwt = await issuer.sign({ claims: { scope: others.join(" "), sub: "without-scope" } });
      for (const caller of [
        await service.as({ scopes: others }),
        await service.as({ scopes: [] }),
        service.anonymous(`Bearer ${jwt}`),
      ]) {
        const answer = await ask(caller, request);
        expect(answer).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
        expect(answer.headers.get("www-authenticate")).toBe(
          `Bearer realm="plumbline", error="insufficient_scope", scope="${operation.scopes!.join(" ")}"`,
        );
      }
    },
  );

  it.each(scoped)("$id returns the same with only its scope as with all scopes", async (operation) => {
    const outcome = async (caller: Client) => {
      const { status, body } = await ask(caller, exampleRequest(operation, missingIds(operation)));
      return `${status} ${body?.code ?? ""}`;
    };
    expect(await outcome(await service.as({ scopes: operation.scopes! }))).toBe(await outcome(await service.as()));
  });
});

type Case = { readonly operation: Operation; readonly id: string; readonly principal: string; readonly outcome: string };
const cases: readonly Case[] = operations.flatMap((operation) =>
  Object.entries(rawOperation(operation)["x-access"]).map(([principal, outcome]) => ({
    operation,
    id: operation.id,
    principal,
    outcome,
  })),
);

describe("every operation gives each principal the access in x-access", () => {
  it.each(cases)("$id, $principal: $outcome", async ({ operation, principal, outcome }) => {
    const { caller, ids, known } = await stage(operation, principal);
    const answer = await ask(caller, exampleRequest(operation, ids, known));
    expectOutcome(operation, answer, outcome);
  });

  it.each(guarded)("$id gives the user of a valid JWT the same access", async (operation) => {
    const access = rawOperation(operation)["x-access"];
    const jwt = service.anonymous(`Bearer ${await issuer.sign({ claims: { sub: `jwt-${operation.id}` } })}`);
    const { ids, known } = await stage(operation, "stranger");
    // `seen` must come from a list of the same user.
    const { seen } = (await jwt("GET", "/notifications?limit=1")).body;
    expectOutcome(
      operation,
      await ask(jwt, exampleRequest(operation, ids, { ...known, seen })),
      access["stranger"] ?? access["authenticated"]!,
    );
  });
});

/** Creates separate resources for one request, so that its changes affect no other test. */
async function stage(operation: Operation, principal: string) {
  const users = await gather(service);
  const ids = new Map(await createResources(operation, users));
  // What only the holder of a link has.
  if (principal !== "link_holder") ids.delete("token");
  const { storeVideo: _, ...clients } = users;
  const anonymous = service.anonymous();
  const callers: Readonly<Record<string, Client>> = {
    ...clients,
    authenticated: users.owner,
    public: anonymous,
    link_holder: anonymous,
  };
  const caller = callers[principal];
  if (caller === undefined)
    throw new Error(`${operation.id} has the principal "${principal}" in x-access, which this test doesn't support.`);
  await openConversation(users.guest, [users.owner]);
  const { body } = await users.owner("GET", "/notifications?limit=1");
  return { caller, ids, known: { userId: users.guest.userId, seen: body.seen as string } };
}

const isSuccess = ({ status }: Answer) => status < 400;

/** "allowed" is a success, or a declared refusal that the service sends only after it has granted access to the resource. */
function expectOutcome(operation: Operation, answer: Answer, outcome: string): void {
  const { status } = answer;
  const code = answer.body?.code as string | undefined;
  if (outcome !== "allowed") {
    const declared = declaredResponse(operation, String(status))?.problemCodes ?? [];
    expect({ code, declared: declared.includes(outcome) }).toEqual({ code: outcome, declared: true });
    return;
  }
  const isRule = [409, 412, 422].includes(status) && declaredResponse(operation, String(status)) !== null;
  if (!isSuccess(answer) && !isRule)
    throw new Error(`${operation.id} should be allowed, but returned ${status} ${code}: ${answer.text}`);
  expect(declaredResponse(operation, String(status))).not.toBeNull();
}

describe("a resource of another user", () => {
  const hidden = operations.filter((it) => rawOperation(it)["x-access"]["stranger"] === "not_found");

  const SAME_404 = sentence("| all others, such as short URLs | their owner | 404, the same as for an unknown id |");
  it.each(hidden)(`${SAME_404} $id`, async (operation) => {
    const ids = await targetOf(operation);
    const [foreign, missing] = [
      await ask(people.stranger, exampleRequest(operation, ids)),
      await ask(people.stranger, exampleRequest(operation, missingIds(operation))),
    ];
    expect(foreign.status).toBe(404);
    expect(withoutChanging(foreign)).toEqual(withoutChanging(missing));
  });
});

/** They differ from request to request. With replicas, so does the token, because other tests write at the same time. */
const CHANGING = ["x-request-id", "date", "consistency-token"];
const withoutChanging = ({ status, headers, text, body }: Answer) => ({
  status,
  text: text.replaceAll(String(body.request_id), ""),
  headers: [...headers].map(([name, value]) => [name, CHANGING.includes(name) ? "" : value]).sort(),
});
