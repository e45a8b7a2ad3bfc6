import type { World } from "./fixture.ts";

/** A request that is sent again and again. With `isKeyed`, each one has an idempotency key of its own. */
export type Request = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, and a text as it is. */
  readonly body?: object | string;
  readonly isKeyed?: true;
};
/** Sends a GET and returns the body of the response. */
export type Ask = (path: string, key: string) => Promise<{ readonly page: { readonly next_cursor: string | null } }>;

export type Load = {
  readonly name: string;
  /** The requests, of which each one is chosen at random. Cursors differ between subjects, so they are asked for. */
  requests(world: World, ask: Ask): readonly Request[] | Promise<readonly Request[]>;
  /**
   * Why the mean leaves it out: PostgreSQL does nothing for it, or the service combines waiting messages of a conversation, which
   * no peer does.
   */
  readonly apart?: "no database" | "combined";
  /** Whether it leaves rows behind. */
  readonly writes?: true;
};

const get = (path: string, key?: string): Request => ({ method: "GET", path, ...(key === undefined ? {} : { key }) });
const TEXT = "The slates come on Thursday, early in the morning. Can you help to unload them?";

const send = (conversation: string, key: string): Request => ({
  method: "POST",
  path: `/conversations/${conversation}/messages`,
  key,
  body: { body: TEXT },
  isKeyed: true,
});

/** Cursors into the first ten thousand posts. */
async function postCursors({ callers }: World, ask: Ask): Promise<readonly string[]> {
  const cursors: string[] = [];
  for (let offset = 0; offset < 9_900; offset += 150) {
    const { page } = await ask(`/posts?limit=1&offset=${offset}`, callers[0]!.key);
    cursors.push(page.next_cursor!);
  }
  return cursors;
}

export const LOADS: readonly Load[] = [
  { name: "health", apart: "no database", requests: () => [get("/health")] },
  {
    name: "url-read",
    requests: ({ urls }) => urls.map(({ id, owner }) => get(`/urls/${id}`, owner.key)),
  },
  { name: "url-follow", requests: ({ urls }) => urls.map(({ id }) => get(`/u/${id}`)) },
  {
    name: "posts-cursor",
    requests: async (world, ask) =>
      (await postCursors(world, ask)).map((it, n) =>
        get(`/posts?limit=20&after=${it}`, world.callers[n % world.callers.length]!.key),
      ),
  },
  {
    name: "posts-offset",
    requests: ({ callers }) => callers.map(({ key }, n) => get(`/posts?limit=20&offset=${n * 20}`, key)),
  },
  {
    name: "post-create",
    writes: true,
    requests: ({ callers }) =>
      callers.map(({ key }) => ({
        method: "POST",
        path: "/posts",
        key,
        body: { title: "How we re-hung the boathouse doors", body: `${TEXT} `.repeat(4).trim() },
        isKeyed: true,
      })),
  },
  {
    name: "message-pair",
    apart: "combined",
    writes: true,
    requests: ({ callers, pair }) => callers.slice(0, 2).map(({ key }) => send(pair, key)),
  },
  {
    name: "message-large",
    apart: "combined",
    writes: true,
    requests: ({ callers, large }) => callers.map(({ key }) => send(large, key)),
  },
  {
    name: "message-many",
    writes: true,
    requests: ({ others }) => others.map(({ id, owner }) => send(id, owner.key)),
  },
  {
    name: "history",
    requests: async ({ others }, ask) => {
      const pages = await Promise.all(
        others.map(async ({ id, owner }) => {
          const path = `/conversations/${id}/messages`;
          const { page } = await ask(path, owner.key);
          return [get(path, owner.key), get(`${path}?before=${page.next_cursor}`, owner.key)];
        }),
      );
      return pages.flat();
    },
  },
  {
    name: "conversations",
    requests: ({ callers }) => callers.map(({ key }) => get("/conversations", key)),
  },
  {
    name: "notifications",
    requests: ({ callers }) => callers.map(({ key }) => get("/notifications?status=unread", key)),
  },
];
