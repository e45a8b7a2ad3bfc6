import { expect } from "@jest/globals";
import { publish } from "../../support/posts.ts";
import { header, outcome, type Claims } from "./claim.ts";

export const posts: Claims = {
  "Every user can read it as soon as you get the response.": async ({ as }) => {
    const [author, other] = [await as(), await as()];
    const { post, path } = await publish(author);
    expect((await other("GET", path)).body).toEqual(post);
  },
  "Two identical requests publish two posts.": async ({ as }) => {
    const author = await as();
    expect((await publish(author)).post.id).not.toBe((await publish(author)).post.id);
  },
  "send it as `If-None-Match` to get the post again only if it has changed": async ({ as }) => {
    const author = await as();
    const { path, etag } = await publish(author);
    expect((await author("GET", path, undefined, header("If-None-Match", etag))).status).toBe(304);
    await author("PATCH", path, { title: "New" });
    expect((await author("GET", path, undefined, header("If-None-Match", etag))).body.title).toBe("New");
  },
  "Replaces the fields that you send and leaves the others as they are.": async ({ as }) => {
    const author = await as();
    const { post, path } = await publish(author);
    const { body } = await author("PATCH", path, { title: "New" });
    expect(body).toEqual({ ...post, title: "New", updated_at: body.updated_at });
  },
  "Sending the values that the post already has returns 200 and changes nothing, not even `updated_at`.": async ({ as }) => {
    const author = await as();
    const { post, path, etag } = await publish(author);
    const again = await author("PATCH", path, { title: post.title, body: post.body });
    expect([again.status, again.body, again.headers.get("etag")]).toEqual([200, post, etag]);
  },
  "If you retry with `If-Match` after losing the response, you can get 412 because the first request succeeded.": async ({
    as,
  }) => {
    const author = await as();
    const { path, etag } = await publish(author);
    const change = () => author("PATCH", path, { title: "New" }, header("If-Match", etag));
    expect([outcome(await change()), outcome(await change())]).toEqual(["200", "412 precondition_failed"]);
  },
  "Equal to `created_at` if it was never changed.": async ({ as }) => {
    const author = await as();
    const { post, path } = await publish(author);
    expect(post.updated_at).toBe(post.created_at);
    const { body } = await author("PATCH", path, { title: "New" });
    expect([body.created_at, body.updated_at > post.updated_at]).toEqual([post.created_at, true]);
  },
  "Send the `ETag` of the version you read as `If-Match` to delete only that version": async ({ as }) => {
    const author = await as();
    const { path, etag } = await publish(author);
    const changed = await author("PATCH", path, { title: "New" });
    expect(outcome(await author("DELETE", path, undefined, header("If-Match", etag)))).toBe("412 precondition_failed");
    const current = header("If-Match", changed.headers.get("etag")!);
    expect(outcome(await author("DELETE", path, undefined, current))).toBe("204");
  },
};
