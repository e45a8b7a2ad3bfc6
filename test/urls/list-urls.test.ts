import { describe, expect, it } from "@jest/globals";
import type { Body, Client } from "../support/client.ts";
import { walk } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const ids = (items: readonly Body[]) => items.map((it) => it.id as string);

/** A new user with `count` short URLs: all created at `createdAt`, or one after the other through the API. */
async function withUrls(count: number, createdAt?: Date): Promise<{ ada: Client; created: string[] }> {
  const ada = await service.as();
  const prefix = ada.userId.slice(-8);
  const created = Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(4, "0")}`);
  if (createdAt !== undefined)
    await service.db.shortUrl.createMany({
      data: created.map((id) => ({ id, ownerId: ada.userId, targetUrl: "https://example.com/", createdAt })),
    });
  else for (const id of created) await ada("POST", "/urls", { target_url: "https://example.com/", id });
  return { ada, created };
}

describe("GET /urls", () => {
  it("returns 200 with the caller's short URLs, newest first, each as GET returns it", async () => {
    const { ada, created } = await withUrls(3);
    const list = await ada("GET", "/urls");
    expect(list).toMatchObject({ status: 200, body: { page: { limit: 20, next_cursor: null } } });
    expect(ids(list.body.data)).toEqual(created.toReversed());
    expect(list.headers.has("link")).toBe(false);
    expect(list.headers.get("cache-control")).toBe("no-store");
    expect(list.body.data[0]).toEqual((await ada("GET", `/urls/${created[2]}`)).body);
  });

  it("lists expired short URLs, but not deleted ones", async () => {
    const { ada, created } = await withUrls(3);
    await service.db.shortUrl.update({ where: { id: created[0]! }, data: { expiresAt: new Date(Date.now() - 1_000) } });
    await ada("DELETE", `/urls/${created[1]}`);
    expect(ids((await ada("GET", "/urls")).body.data)).toEqual([created[2], created[0]]);
  });

  it("neither repeats nor skips a short URL while others are created and deleted", async () => {
    const { ada, created } = await withUrls(30, new Date("2026-01-01T00:00:00.000Z"));
    const doomed = created.filter((_, index) => index % 10 === 0);
    const walked = ids(
      await walk(ada, "/urls?limit=4", "after", async () => {
        await ada("POST", "/urls", { target_url: "https://example.com/new" });
        const id = doomed.shift();
        if (id !== undefined) await ada("DELETE", `/urls/${id}`);
      }),
    );
    const stable = created.filter((_, index) => index % 10 !== 0).reverse();
    expect(walked.filter((id) => stable.includes(id))).toEqual(stable);
    expect(new Set(walked).size).toBe(walked.length);
  });
});
