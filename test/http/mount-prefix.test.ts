import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { createClient, type Answer, type Body, type Client } from "../support/client.ts";
import { openConversation, send, withKey } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { exchange } from "../support/socket.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";
import { OUTSIDE, startStrippingProxy } from "./support/stripping-proxy.ts";

const PREFIX = "/tools/plumb";
const proxy = prepare(() => startStrippingProxy(PREFIX));
const service = prepare(() => startTestService({ ROLE: "api", PUBLIC_URL: `${proxy.url}/` }));
const ada = prepare(async () => {
  proxy.forwardTo(service.url);
  return throughProxy(await service.as());
});

const throughProxy = ({ userId, userName: name, authorization }: Client): Client =>
  createClient(proxy.url, { userId, name, ...(authorization === undefined ? {} : { authorization }) });

/** Every link in a response that a client could follow. */
function linksOf({ headers, body, text }: Pick<Answer, "headers" | "body" | "text">): string[] {
  const inBody = (value: Body): string[] =>
    value !== null && typeof value === "object"
      ? Object.entries(value).flatMap(([name, it]) =>
          (["href", "short_url"].includes(name) || (name === "type" && "request_id" in value)) && typeof it === "string"
            ? [it]
            : inBody(it),
        )
      : [];
  const inLink = [...(headers.get("link") ?? "").matchAll(/<([^>]*)>/g)].map((it) => it[1]!);
  const inPage = (headers.get("content-type") ?? "").startsWith("text/html")
    ? [...text.matchAll(/\b(?:href|src)="([^"#]+)"|import\("([^"]+)"\)/g)]
        .map((it) => it[1] ?? it[2]!)
        .filter((it) => !/^[a-z]+:/.test(it))
    : [];
  return [...(headers.has("location") ? [headers.get("location")!] : []), ...inLink, ...inPage, ...inBody(body)];
}

/** The status of a page. If the body were not cancelled, the connection would stay open. */
async function statusOf(url: string | URL, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const { status, body } = await fetch(url, { redirect: "manual", headers });
  await body?.cancel();
  return status;
}

/** Follows the links of a response, resolved as in RFC 3986. Returns the links, and those that are dead. */
async function followed(path: string, answer: Pick<Answer, "headers" | "body" | "text">) {
  const links = linksOf(answer);
  const dead: string[] = [];
  for (const link of links) {
    const url = new URL(link, `${proxy.url}${path}`);
    const status = await statusOf(url, { Authorization: ada.authorization!, Accept: "*/*" });
    if (status === OUTSIDE || status >= 400) dead.push(`${status} ${link}`);
  }
  return { links, dead };
}

/** Responses with links, and the lowest number of links in each. */
const ANSWERS: Readonly<Record<string, () => Promise<readonly [path: string, answer: Answer, links: number]>>> = {
  "a short URL, with its Location and its short_url": async () => {
    const answer = await ada("POST", "/urls", { target_url: "https://example.com/" });
    expect(answer.body.short_url).toBe(`${proxy.url}/u/${answer.body.id}`);
    return ["/urls", answer, 2];
  },
  "a replayed short URL": async () => {
    const key = withKey();
    await ada("POST", "/urls", { target_url: "https://example.com/" }, key);
    const answer = await ada("POST", "/urls", { target_url: "https://example.com/" }, key);
    expect(answer.headers.get("idempotency-replayed")).toBe("true");
    return ["/urls", answer, 2];
  },
  "a post": async () => ["/posts", await ada("POST", "/posts", { title: "A title", body: "x" }), 1],
  "a page of a list, with its Link": async () => {
    for (let post = 0; post < 3; post++) await ada("POST", "/posts", { title: "A title", body: "x" });
    return ["/posts?limit=1", await ada("GET", "/posts?limit=1"), 1];
  },
  "notifications, with their resources": async () => {
    const conversation = await openConversation(await service.as(), [ada]);
    await send(ada, conversation, "Hello");
    return ["/notifications", await ada("GET", "/notifications"), 1];
  },
  "a message": async () => {
    const conversation = await openConversation(ada, [await service.as()]);
    return [
      conversation.messages.slice(PREFIX.length),
      await ada("POST", conversation.messages.slice(PREFIX.length), { body: "x" }, withKey()),
      1,
    ];
  },
  "an upload": async () => ["/video-uploads?name=x", await ada("POST", "/video-uploads?name=x", Buffer.from("x")), 1],
  "a resumable upload": async () => [
    "/video-uploads?name=x",
    await ada("POST", "/video-uploads?name=x", Buffer.from("x"), { headers: { "Upload-Complete": "?1", "Upload-Length": "1" } }),
    1,
  ],
  [sentence("Resolve it against the URL of the request to get a page that explains the code.")]: async () => {
    const path = `/posts/01a1efac-3ed3-7e8e-9855-${randomUUID().slice(24)}`;
    return [path, await ada("GET", path), 1];
  },
  "a problem of an unknown path": async () => ["/nothing", await ada("GET", "/nothing"), 1],
  "the home page": async () => ["/", await ada("GET", "/"), 8],
  "the reference": async () => ["/docs", await ada("GET", "/docs"), 3],
  "a page about a problem": async () => ["/problems/not_found", await ada("GET", "/problems/not_found"), 1],
};

describe("behind a proxy that strips a prefix", () => {
  const PATHS = sentence("`Location`, `Link`, `href` and the `type` of a problem are paths that begin with a slash");
  it.each(Object.entries(ANSWERS))(`${PATHS}, have the prefix, and work: %s`, async (_what, make) => {
    const [path, answer, count] = await make();
    const { links, dead } = await followed(path, answer);
    expect(dead).toEqual([]);
    expect(links.length).toBeGreaterThanOrEqual(count);
  });

  it("every link in the API catalog works", async () => {
    const catalog = (await (await fetch(`${proxy.url}/.well-known/api-catalog`)).json()) as {
      linkset: [Record<string, unknown>];
    };
    const { anchor, ...groups } = catalog.linkset[0];
    const hrefs = Object.values(groups).flatMap((it) => (it as { href: string }[]).map(({ href }) => href));
    expect(hrefs.length).toBeGreaterThanOrEqual(4);
    for (const href of [String(anchor), ...hrefs])
      expect([href, await statusOf(new URL(href, `${proxy.url}/.well-known/api-catalog`))]).toEqual([href, 200]);
  });

  it("the served contract has the right server URL for generated clients", async () => {
    const documentUrl = `${proxy.url}/openapi.json`;
    const document = (await (await fetch(documentUrl)).json()) as { servers: { url: string }[] };
    const base = new URL(document.servers[0]!.url, documentUrl).href;
    expect(base).toBe(proxy.url);
    expect(await statusOf(`${base}/health`)).toBe(200);
    expect(await (await fetch(`${proxy.url}/openapi.yaml`)).text()).toMatch(new RegExp(`^servers:\n +- url: ${PREFIX}$`, "m"));
  });

  it.each(["/openapi.json", "/openapi.yaml", "/openapi-with-webhooks.json", "/docs"])(
    "the links to documents in the texts of %s have the prefix, and work",
    async (path) => {
      const text = await (await fetch(`${proxy.url}${path}`)).text();
      const found = [...text.matchAll(/(?:\]\(|`|<code>|"url": ?")(\/[a-z/]*(?:docs\/|openapi[.-]|problems\/)[\w./-]+)/g)];
      const links = [...new Set(found.map((it) => it[1]!))];
      expect(links.length).toBeGreaterThan(1);
      expect(links.filter((it) => !it.startsWith(`${PREFIX}/`))).toEqual([]);
      const origin = new URL(proxy.url).origin;
      expect(await Promise.all(links.map(async (it) => [it, await statusOf(`${origin}${it}`)]))).toEqual(
        links.map((it) => [it, 200]),
      );
    },
  );

  it("a malformed message gets a problem whose type has the prefix", async () => {
    const { answers } = await exchange(service.url, "GET /\u0000 HTTP/1.1\r\n\r\n");
    expect(answers[0]!.body.type).toBe(`${PREFIX}/problems/malformed_request`);
  });
});

describe("PUBLIC_URL", () => {
  it.each([
    "https://example.com/?x=1",
    "https://example.com/#x",
    "https://user:secret@example.com/",
    "https://example.com/a b",
    "https://example.com/a//b",
  ])("is refused at start if no path can be appended to it: %s", async (PUBLIC_URL) => {
    await expect(startTestService({ ROLE: "api", PUBLIC_URL })).rejects.toThrow(/^The setting PUBLIC_URL is an address/);
  });
});
