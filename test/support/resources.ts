import { randomUUIDv7 } from "node:crypto";
import { join } from "node:path";
import type { Operation } from "../../src/contract/operations.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import type { Body, Client } from "./client.ts";
import { operations } from "./contract.ts";
import { openConversation, sendMany } from "./conversations.ts";
import { ask, exampleRequest, foreignIds } from "./example-requests.ts";
import type { TestService } from "./service.ts";
import { storeResult } from "./stored-result.ts";

/** The users in the tests: the owner of the resource, a member of the conversation, another member, and a user without access. */
export type Users = { readonly owner: Client; readonly member: Client; readonly guest: Client; readonly stranger: Client };
/** The users, and a function that stores a succeeded video of one of them without processing, and returns its id. */
export type People = Users & { readonly storeVideo: (owner: Client) => Promise<string> };

type Backend = Pick<TestService, "db" | "dataDir">;

/** These users, with the storing of videos at their service or deployment. */
export const atService = (backend: Backend, users: Users): People => ({
  ...users,
  storeVideo: (owner) => storeResult(backend, owner, createFileStore(join(backend.dataDir, "objects"))),
});

/** Creates the users at a service or a deployment. */
export async function gather(service: Backend & { readonly as: () => Promise<Client> }): Promise<People> {
  const [owner, member, guest, stranger] = await Promise.all([service.as(), service.as(), service.as(), service.as()]);
  return atService(service, { owner, member, guest, stranger });
}

/** The parameters that refer to resources, by name: those of the path, and a `token` that permits a request. */
export type Ids = ReadonlyMap<string, string>;
type Make = (people: People, made: Ids, operation: Operation) => Promise<string>;

/** The bytes of an upload whose content doesn't matter, and also the first part of an incomplete upload. */
export const BYTES = Buffer.from("not a video");

/** How to create the resource of a path parameter, with its owner, if it isn't a POST to the path before the parameter. */
const MAKERS: Readonly<Record<string, Make>> = {
  notification_id: async ({ owner, guest }) => {
    await openConversation(guest, [owner]);
    return newest(await owner("GET", "/notifications?limit=1"));
  },
  job_id: async ({ owner, storeVideo }, _made, { path }) => {
    // What can be played has succeeded.
    if (path.includes("/playback")) return storeVideo(owner);
    const isUnfinished = path.endsWith("/transfer");
    return idOf(await owner("POST", "/video-uploads", BYTES, isUnfinished ? { headers: { "Upload-Complete": "?0" } } : {}));
  },
  name: async () => "480p",
  file: async () => "480p.mp4",
  conversationId: async ({ owner, member, guest }, _made, { path }) => {
    const conversation = await openConversation(owner, [member, guest]);
    // The example has read three messages.
    if (path.endsWith("/read-position")) await sendMany(member, conversation, 3);
    return conversation.id;
  },
  user_id: async ({ guest }) => guest.userId,
  endpoint_id: ({ owner }) => createEndpoint(owner),
};

/** A user can have ten. The others are for tests that create their own. */
const ENDPOINTS_MAX = 4;

/** Creates a webhook endpoint, and removes the oldest one if there are many. */
async function createEndpoint(owner: Client): Promise<string> {
  const { body: list } = await owner("GET", "/webhook-endpoints");
  if (list.data.length >= ENDPOINTS_MAX) await owner("DELETE", `/webhook-endpoints/${list.data.at(-1).id}`);
  const example = exampleRequest(
    operations.find((it) => it.id === "createWebhookEndpoint")!,
    new Map(),
  );
  const { body, text } = await ask(owner, example);
  if (body?.endpoint === undefined) throw new Error(`A resource for the tests could not be created: ${text}`);
  return body.endpoint.id as string;
}

/** The parameter of a path that a field of a body is named after: `conversationId` for `conversation_id`. */
function parameterFor(field: string): string {
  const plain = (name: string) => name.replaceAll("_", "").toLowerCase();
  return operations.flatMap(({ path }) => namesIn(path)).find((it) => plain(it) === plain(field)) ?? field;
}

/** The maker of a parameter: that of MAKERS, or the example of the POST that adds to the list of such resources. */
function makerOf(name: string): Make | undefined {
  const items = operations.map(({ path }) => path).filter((path) => path.endsWith(`/{${name}}`));
  const adding = operations.find((it) => it.method === "post" && items.includes(`${it.path}/{${name}}`));
  const byExample: Make = async ({ owner, guest }, made) =>
    idOf(await ask(owner, exampleRequest(adding!, made, { userId: guest.userId, seen: "" })));
  return MAKERS[name] ?? (adding === undefined ? undefined : byExample);
}

/**
 * Creates a resource for each parameter in the path of an operation, in the order of the path, and for each field of its body with the
 * id of one. For a read or a deletion, also what a PUT at its path creates. Those in `existing` exist already.
 */
export async function createResources(operation: Operation, people: People, existing: Ids = new Map()): Promise<Ids> {
  const made = new Map(existing);
  for (const name of [...namesIn(operation.path), ...foreignIds(operation)]) {
    const make = makerOf(parameterFor(name));
    if (make === undefined) throw unknownName("id", name, operation);
    if (!made.has(name)) made.set(name, await make(people, made, operation));
  }
  if (operation.access["link_holder"] !== undefined) made.set("token", await tokenOf(people.owner, made));
  const put = operations.find((it) => it.method === "put" && it.path === operation.path);
  if (put !== undefined && put !== operation) await ask(people.owner, exampleRequest(put, made));
  return made;
}

/** An error for each parameter in the path of an operation, and each id in its body, whose resource can't be created. */
export const unmakeable = (operation: Operation): Error[] =>
  [...namesIn(operation.path), ...foreignIds(operation)]
    .filter((it) => makerOf(parameterFor(it)) === undefined)
    .map((it) => unknownName("id", it, operation));

/** Valid ids of resources that don't exist. */
export function missingIds(operation: Operation): Ids {
  const forms: Readonly<Record<string, string>> = { id: "NoSuchId", name: "480p", file: "480p.mp4" };
  const form = (name: string) => forms[name] ?? randomUUIDv7();
  return new Map(namesIn(operation.path).map((name) => [name, form(name)]));
}

export const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((it) => it[1]!);

export function unknownName(kind: string, name: string, operation: Operation): Error {
  return new Error(
    `${operation.id} has the ${kind} "${name}", which the generated tests can't fill. Add to test/support/${kind === "id" ? "resources.ts (MAKERS) how to create its resource" : "example-requests.ts (STAND_INS) what to send for it"}.`,
  );
}

function idOf(answer: { status: number; headers: Headers; body: Body; text: string }): string {
  if (answer.status >= 300) throw new Error(`A resource for the tests could not be created: ${answer.text}`);
  return (answer.body?.id ?? /\/video-uploads\/([^/]+)/.exec(answer.headers.get("location") ?? "")?.[1]) as string;
}

/** The token of the link to the rendition of a video. */
async function tokenOf(owner: Client, made: Ids): Promise<string> {
  const { body, text } = await owner("POST", `/video-uploads/${made.get("job_id")}/playback`, {});
  const [, token] = /\?token=(.+)$/.exec(body?.renditions?.[0]?.href ?? "") ?? [];
  if (token === undefined) throw new Error(`A link for the tests could not be created: ${text}`);
  return token;
}

const newest = ({ body }: { body: Body }) => body.data[0].id as string;
