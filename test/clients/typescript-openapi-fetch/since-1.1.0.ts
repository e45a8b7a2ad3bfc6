import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./build/openapi.d.ts";
import { apiUrl, check, checkPlays, colleagueKey, uniqueName, present, step } from "../typescript-steps.ts";

/** Takes the steps that 1.1.0 adds, some of them as a colleague. */
export async function goFurther(api: Client<paths>): Promise<void> {
  const colleague = createClient<paths>({ baseUrl: apiUrl, headers: { Authorization: `Bearer ${colleagueKey}` } });
  const name = uniqueName();
  await step(7, () => people(api, colleague, name));
  await step(8, () => unread(colleague, name));
  await step(9, () => readPosition(colleague, name));
  await step(10, () => playback(api));
}

async function people(mine: Client<paths>, api: Client<paths>, display_name: string): Promise<string> {
  const me = present((await mine.PATCH("/account", { body: { display_name } })).data, "account");
  const profile = present((await api.GET("/users/{user_id}", { params: { path: { user_id: me.user_id } } })).data, "profile");
  check(profile.display_name === display_name && !profile.deleted, "not the new name");
  const found = present((await api.GET("/users", { params: { query: { name: display_name } } })).data, "matches");
  check(found.data.map(({ id }) => id).join() === me.user_id, "not found by name");
  // begin: how to show names
  const posts = await api.GET("/posts", { params: { query: { author: profile.id } } });
  const titles = posts.data?.data.map(({ title, author }) => `${title} by ${author.display_name ?? "a deleted user"}`);
  // end
  const newest = present(titles?.[0], "post");
  check(newest === `five by ${display_name}`, "no name beside the post");
  return newest;
}

async function unread(api: Client<paths>, name: string): Promise<string> {
  // begin: how to show what is unread
  const conversations = await api.GET("/conversations", { params: { query: { sort: "-last_message_at" } } });
  const lines = conversations.data?.data.map(({ last_message: last, unread_count }) =>
    last === null ? "No messages" : `${last.sender.display_name ?? "a deleted user"}: ${last.excerpt} (${unread_count} unread)`);
  // end
  const line = `${name}: The slates come on Thursday. (1 unread)`;
  check(lines?.includes(line), `not in ${lines?.join()}`);
  return line;
}

/** The conversation to which the renamed user has sent the newest message. */
async function conversationWith(api: Client<paths>, name: string): Promise<components["schemas"]["Conversation"]> {
  const { data } = await api.GET("/conversations", { params: { query: { sort: "-last_message_at" } } });
  return present(data?.data.find(({ last_message }) => last_message?.sender.display_name === name), "conversation");
}

async function readPosition(api: Client<paths>, name: string): Promise<string> {
  const { id: conversationId, last_message } = await conversationWith(api, name);
  const { sequence } = present(last_message, "message");
  // begin: how to show what is unread
  const read = await api.PUT("/conversations/{conversationId}/read-position", { params: { path: { conversationId } }, body: { sequence } });
  // end
  check(read.data?.unread_count === 0 && read.data.last_read_sequence === sequence, "not read");
  check((await conversationWith(api, name)).unread_count === 0, "unread in the list");
  return `read up to message ${sequence}`;
}

async function playback(api: Client<paths>): Promise<string> {
  const { id } = present((await api.GET("/video-uploads", { params: {} })).data?.data[0], "video");
  // begin: how to play
  const { data } = await api.POST("/video-uploads/{job_id}/playback", { params: { path: { job_id: id } }, body: {} });
  const { href, size_bytes } = present(data?.renditions.at(-1), "rendition");
  const link = new URL(href, apiUrl);
  // end
  return checkPlays(link, size_bytes);
}
