import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "@jest/globals";
import type { OperationId } from "../../src/contract/contract.ts";
import type { Operation } from "../../src/contract/operations.ts";
import { resolve } from "../../src/contract/bundle.ts";
import type { Answer, Body } from "../support/client.ts";
import { createCursors, type CursorContext } from "../../src/pagination/cursor.ts";
import { contract, operations, parametersOf } from "../support/contract.ts";
import { openConversation, sendMany, tampered } from "../support/conversations.ts";
import { ask, exampleRequest, pathWith } from "../support/example-requests.ts";
import { prepare } from "../support/prepare.ts";
import { createResources, gather, type Ids } from "../support/resources.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";

const COUNT = 6;
const LIMITS = [1, 2, 3, 4, COUNT - 1, COUNT, COUNT + 1, 100];
const lists = operations.filter((it) => it.nextPageParameter !== null);

const SECRET = "a secret of the lists' tests";
const service = prepare(() => startTestService({ ROLE: "api", CURSOR_SECRETS: SECRET }));
const ada = prepare(() => service.as());
/** The path of each list, and the number of its items for Ada. */
const LISTS = new Map<OperationId, readonly [path: string, count: number]>();
const PARENTS = new Map<OperationId, Ids>();
const people = async () => ({ ...(await gather(service)), owner: ada });
beforeAll(async () => {
  const paths: [OperationId, string][] = [];
  for (const list of lists) paths.push([list.id, await fillList(list)]);
  // Counted at the end, because some items are the parents of others.
  for (const [id, path] of paths) LISTS.set(id, [path, await countOf(path)]);
}, 60_000);

/** Creates a list with items. */
async function fillList(list: Operation): Promise<string> {
  const ids = await createResources(list, await people());
  for (let index = 0; index < COUNT; index++) await addItem(list, ids, index);
  PARENTS.set(list.id, ids);
  return pathWith(list, ids);
}

/** Adds an item: by the operation that adds to the list, by the resources of its items, or by a change of its parent. */
async function addItem(list: Operation, ids: Ids, index: number): Promise<void> {
  const parent = list.path.slice(0, list.path.lastIndexOf("/"));
  const item = operations.find((it) => /^\/\{\w+\}$/.test(it.path.replace(list.path, "")) && it.method !== "put");
  const maker =
    operations.find((it) => it.path === list.path && it.method === "post" && it.body === "application/json") ??
    (item === undefined ? operations.find((it) => it.path === parent && it.method === "patch") : undefined);
  if (item === undefined && maker?.body !== "application/json")
    throw new Error(
      `${list.id} has no path of one item, and no POST or PATCH with JSON: say in addItem how to create its items.`,
    );
  if (maker === undefined) return void (await createResources(item!, await people(), ids));
  const request = exampleRequest(maker, ids, { userId: (await service.as()).userId, seen: "" });
  const fields = Object.entries(request.body as Body).map(([name, value]) => [
    name,
    // Text differs in each item. Values without a space, such as ids and URLs, stay the same.
    typeof value === "string" && value.includes(" ") ? `${value} ${index}` : value,
  ]);
  const { status, text } = await ask(ada, { ...request, body: Object.fromEntries(fields) });
  if (status >= 300) throw new Error(`${maker.id} created no item for ${list.id}: ${text}`);
}

async function countOf(path: string): Promise<number> {
  return ((await ada("GET", `${path}?limit=100`)).body.data as Body[]).length;
}

describe("every list", () => {
  it.each(lists)(
    "$id ends only at next_cursor null, with each item once and no page above its limit",
    async ({ id, nextPageParameter }) => {
      const [path, count] = LISTS.get(id)!;
      expect(count).toBeGreaterThanOrEqual(COUNT);
      for (const limit of LIMITS) {
        const seen: string[] = [];
        let [pages, cursor]: [number, string | null | undefined] = [0, undefined];
        for (; cursor !== null; pages++) {
          const query = new URLSearchParams({
            limit: String(limit),
            ...(cursor === undefined ? {} : { [nextPageParameter!]: cursor }),
          });
          const { status, body, headers } = await ada("GET", `${path}?${query.toString()}`);
          expect(status).toBe(200);
          expect(body.data.length).toBeLessThanOrEqual(limit);
          expect(body.page.limit).toBe(limit);
          seen.push(...body.data.map((it: Body) => JSON.stringify(it)));
          cursor = body.page.next_cursor as string | null;
          // The link must agree with the cursor.
          expect(/rel="next"/.test(headers.get("link") ?? "")).toBe(cursor !== null);
          expect(pages).toBeLessThan(2 * count);
        }
        // Nothing changes between the requests, so each page is as full as possible.
        expect({ limit, pages, count: seen.length, distinct: new Set(seen).size }).toEqual({
          limit,
          pages: Math.ceil(count / limit),
          count,
          distinct: count,
        });
      }
    },
    60_000,
  );

  const LINK = sentence('You can also follow the `Link` header with `rel="next"` (RFC 8288).');
  it.each(lists)(`${LINK} $id`, async ({ id }) => {
    const [path, count] = LISTS.get(id)!;
    let [items, next]: [number, string | undefined] = [0, `${path}?limit=2`];
    while (next !== undefined) {
      const { body, headers }: Answer = await ada("GET", next);
      items += body.data.length;
      next = /^<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
    }
    expect(items).toBe(count);
  });

  it(sentence("`limit` is 1 to 100 and 20 by default. A value out of range returns 400."), async () => {
    for (const [path] of LISTS.values()) {
      expect((await ada("GET", path)).body.page.limit).toBe(20);
      for (const limit of [0, 101])
        expect(await ada("GET", `${path}?limit=${limit}`)).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    }
  });
});

const INVALID = { status: 400, body: { code: "invalid_cursor" } };
/**
 * Parameters that say where a page begins and ends, and how long to wait for it. All other query parameters choose the contents
 * of the list.
 */
const POSITIONAL = ["limit", "after", "before", "offset", "wait"];

/** How to get the second page of a list: its path, its parameter and its cursor. */
async function secondPage(id: OperationId) {
  const [path] = LISTS.get(id)!;
  const { nextPageParameter } = operations.find((it) => it.id === id)!;
  const { body } = await ada("GET", `${path}?limit=1`);
  const cursor = `${nextPageParameter}=${body.page.next_cursor as string}`;
  expect(await ada("GET", `${path}?limit=1&${cursor}`)).toMatchObject({ status: 200 });
  return { path, cursor };
}

describe("a cursor", () => {
  it.each(lists)("of $id is rejected on every other list", async ({ id }) => {
    const { path, cursor } = await secondPage(id);
    for (const broken of [tampered(cursor), cursor.slice(0, -1), `${cursor}A`])
      expect(await ada("GET", `${path}?${broken}`)).toMatchObject(INVALID);
    for (const other of lists.filter((it) => it.id !== id)) {
      const value = cursor.slice(cursor.indexOf("=") + 1);
      expect(await ada("GET", `${LISTS.get(other.id)![0]}?${other.nextPageParameter}=${value}`)).toMatchObject(INVALID);
    }
  });

  it.each(lists.filter((it) => it.path.includes("{")))("of $id is rejected on another parent", async (operation) => {
    const { cursor } = await secondPage(operation.id);
    const others = await createResources(operation, { ...(await gather(service)), owner: ada });
    const elsewhere = pathWith(operation, others);
    expect(await ada("GET", elsewhere)).toMatchObject({ status: 200 });
    expect(await ada("GET", `${elsewhere}?${cursor}`)).toMatchObject(INVALID);
  });

  const filters = lists.flatMap((operation) =>
    parametersOf(operation)
      .filter((it) => it.in === "query" && !POSITIONAL.includes(it.name))
      .map(({ name, schema }) => ({
        id: operation.id,
        name,
        schema: { ...schema, ...resolve<Filter>(contract, schema) },
      })),
  );
  type Filter = { readonly enum?: readonly string[]; readonly default?: string; readonly format?: string };

  it.each(filters)("of $id is rejected with another $name", async ({ id, name, schema }) => {
    const { path, cursor } = await secondPage(id);
    const values = schema.enum?.filter((it) => it !== schema.default) ?? (schema.format === "uuid" ? [randomUUID()] : []);
    expect(values).not.toEqual([]);
    for (const value of values) {
      expect(await ada("GET", `${path}?${name}=${value}`)).toMatchObject({ status: 200 });
      expect(await ada("GET", `${path}?${name}=${value}&${cursor}`)).toMatchObject(INVALID);
    }
  });

  it(`${sentence("A cursor doesn't expire and grants no access.")} These contexts are from 1.0.0`, async () => {
    const now = Date.now();
    const conversation = await openConversation(ada, [await service.as()]);
    await sendMany(ada, conversation, 3);
    const contexts: readonly (readonly [path: string, context: CursorContext, position: (string | number)[]])[] = [
      ["/urls?after=", { operation: "listUrls", sort: "-created_at" }, [now, "a"]],
      [
        "/notifications?status=unread&kind=message.created&after=",
        { operation: "listNotifications", status: "unread", kind: "message.created", sort: "-created_at" },
        [now, randomUUID()],
      ],
      [
        "/video-uploads?status=queued&sort=created_at&after=",
        { operation: "listVideoUploads", status: "queued", sort: "created_at" },
        [now, randomUUID()],
      ],
      ["/conversations?after=", { operation: "listConversations", sort: "-created_at" }, [now, randomUUID()]],
      [
        `${conversation.members}?after=`,
        { operation: "listMembers", conversation: conversation.id, sort: "created_at" },
        [now, randomUUID()],
      ],
      [`${conversation.messages}?before=`, { operation: "listMessages", conversation: conversation.id }, [3]],
      [`${conversation.messages}?after=`, { operation: "listMessages", conversation: conversation.id }, [3]],
      [
        `/posts?author=${ada.userId}&after=`,
        { operation: "listPosts", author: ada.userId, sort: "-created_at" },
        [now, randomUUID()],
      ],
    ];
    const cursors = createCursors([SECRET]);
    for (const [path, context, position] of contexts)
      expect(await ada("GET", `${path}${cursors.of(context).encode(position)}`)).toMatchObject({ status: 200 });
    const { path, cursor } = await secondPage("listUrls");
    const stranger = await service.as();
    expect(await stranger("GET", `${path}?${cursor}`)).toMatchObject({ status: 200, body: { data: [] } });
  });
});

type Sort = { readonly enum: readonly string[] };
const orders = lists.flatMap((list) => {
  const sort = parametersOf(list).find((it) => it.name === "sort");
  return (sort === undefined ? [null] : resolve<Sort>(contract, sort.schema).enum).map((order) => ({ list, order }));
});
const ordered = orders.flatMap(({ list, order }) => (order === null ? [] : [{ list, order, id: list.id }]));

describe("an order", () => {
  it.each(ordered)("$order of $id sorts by this field", async ({ id, order }) => {
    const { body } = await ada("GET", `${LISTS.get(id)![0]}?limit=100&sort=${order}`);
    // As the contract says of conversations without messages.
    const values = body.data.map((it: Body) => (it[order.replace("-", "")] ?? it.created_at) as string);
    const ascending = values.toSorted();
    expect(values).toEqual(order.startsWith("-") ? ascending.reverse() : ascending);
    expect(new Set(values).size).toBeGreaterThan(1);
  });

  // Last, because it adds items.
  it.each(orders.map(({ list, order }) => ({ list, order, id: list.id, named: order ?? "the only order" })))(
    "$named of $id shows each item that was there exactly once and in order, while others are added",
    async ({ list, order }) => {
      const [path] = LISTS.get(list.id)!;
      const query = order === null ? "" : `&sort=${order}`;
      const keysOf = (body: Body): string[] => body.data.map((it: Body) => it.id ?? it.user_id);
      const before = keysOf((await ada("GET", `${path}?limit=100${query}`)).body);
      const seen: string[] = [];
      let cursor: string | null | undefined;
      for (let added = 0; cursor !== null;) {
        const after = cursor === undefined ? "" : `&${list.nextPageParameter}=${cursor}`;
        const { body } = await ada("GET", `${path}?limit=2${query}${after}`);
        seen.push(...keysOf(body));
        cursor = body.page.next_cursor;
        // In an order with the newest items last, a reader meets the new ones.
        if (added < 3) await addItem(list, PARENTS.get(list.id)!, COUNT + added++);
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((it) => before.includes(it))).toEqual(before);
    },
  );
});
