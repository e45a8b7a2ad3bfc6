import {
  createPlayback, findUsers, getUser, listConversations, listPosts, listVideoUploads, putReadPosition, updateAccount, type Conversation,
} from "./build/client/index.js";
import { createClient } from "./build/client/client/index.js";
import { apiUrl, check, checkPlays, colleagueKey, uniqueName, present, step } from "../typescript-steps.ts";

/** The client of a colleague. */
const client = createClient({ baseUrl: apiUrl, auth: colleagueKey });
const name = uniqueName();

/** Takes the steps that 1.1.0 adds, some of them as a colleague. */
export async function goFurther(): Promise<void> {
  await step(7, people);
  await step(8, unread);
  await step(9, readPosition);
  await step(10, playback);
}

async function people(): Promise<string> {
  const me = present((await updateAccount({ body: { display_name: name } })).data, "account");
  const profile = present((await getUser({ client, path: { user_id: me.user_id } })).data, "profile");
  check(profile.display_name === name && !profile.deleted, "not the new name");
  const found = present((await findUsers({ client, query: { name } })).data, "matches");
  check(found.data.map(({ id }) => id).join() === me.user_id, "not found by name");
  const posts = present((await listPosts({ client, query: { author: me.user_id } })).data, "posts");
  const [post] = posts.data;
  check(post?.author.display_name === name, "no name beside the post");
  return `${post?.title} by ${post?.author.display_name}`;
}

/** The conversation to which the renamed user has sent the newest message, as the colleague sees it. */
async function conversation(): Promise<Conversation> {
  const { data } = present((await listConversations({ client, query: { sort: "-last_message_at" } })).data, "conversations");
  return present(data.find(({ last_message }) => last_message?.sender.display_name === name), "conversation");
}

async function unread(): Promise<string> {
  const { unread_count, last_message } = await conversation();
  check(unread_count === 1, `${unread_count} unread`);
  check(last_message?.excerpt === "The slates come on Thursday.", "not the newest message");
  return `${unread_count} unread: ${last_message?.excerpt}`;
}

async function readPosition(): Promise<string> {
  const { id: conversationId, last_message } = await conversation();
  const { sequence } = present(last_message, "message");
  const read = present((await putReadPosition({ client, path: { conversationId }, body: { sequence } })).data, "read position");
  check(read.unread_count === 0 && read.last_read_sequence === sequence, "not read");
  check((await conversation()).unread_count === 0, "unread in the list");
  return `read up to message ${sequence}`;
}

async function playback(): Promise<string> {
  const video = present((await listVideoUploads()).data?.data[0], "video");
  const { renditions } = present((await createPlayback({ path: { job_id: video.id }, body: {} })).data, "playback");
  const { href, size_bytes } = present(renditions.at(-1), "rendition");
  return checkPlays(new URL(href, apiUrl), size_bytes);
}
