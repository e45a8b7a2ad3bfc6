import {
  createPlayback, findUsers, getUser, listConversations, listPosts, listVideoUploads, putReadPosition, updateAccount, type Conversation,
} from "./build/client.ts";
import { apiUrl, check, checkPlays, colleagueKey, uniqueName, present, step } from "../typescript-steps.ts";
import { expect } from "./expect.ts";

/** The options of a request of a colleague. */
const asColleague = { headers: { Authorization: `Bearer ${colleagueKey}` } };
const name = uniqueName();

/** Takes the steps that 1.1.0 adds, some of them as a colleague. */
export async function goFurther(): Promise<void> {
  await step(7, people);
  await step(8, unread);
  await step(9, readPosition);
  await step(10, playback);
}

async function people(): Promise<string> {
  const { data: me } = expect(await updateAccount({ display_name: name }), 200);
  const { data: profile } = expect(await getUser(me.user_id, asColleague), 200);
  check(profile.display_name === name && !profile.deleted, "not the new name");
  const { data: found } = expect(await findUsers({ name }, asColleague), 200);
  check(found.data.map(({ id }) => id).join() === me.user_id, "not found by name");
  const [post] = expect(await listPosts({ author: me.user_id }, {}, asColleague), 200).data.data;
  check(post?.author.display_name === name, "no name beside the post");
  return `${post?.title} by ${post?.author.display_name}`;
}

/** The conversation to which the renamed user has sent the newest message, as the colleague sees it. */
async function conversation(): Promise<Conversation> {
  const { data } = expect(await listConversations({ sort: "-last_message_at" }, asColleague), 200).data;
  return present(data.find(({ last_message }) => last_message?.sender.display_name === name), "conversation");
}

async function unread(): Promise<string> {
  const { unread_count, last_message } = await conversation();
  check(unread_count === 1, `${unread_count} unread`);
  check(last_message?.excerpt === "The slates come on Thursday.", "not the newest message");
  return `${unread_count} unread: ${last_message?.excerpt}`;
}

async function readPosition(): Promise<string> {
  const { id, last_message } = await conversation();
  const { sequence } = present(last_message, "message");
  const { data: read } = expect(await putReadPosition(id, { sequence }, asColleague), 200);
  check(read.unread_count === 0 && read.last_read_sequence === sequence, "not read");
  check((await conversation()).unread_count === 0, "unread in the list");
  return `read up to message ${sequence}`;
}

async function playback(): Promise<string> {
  const video = present(expect(await listVideoUploads(), 200).data.data[0], "video");
  const { data } = expect(await createPlayback(video.id, {}), 201);
  const { href, size_bytes } = present(data.renditions.at(-1), "rendition");
  return checkPlays(new URL(href, apiUrl), size_bytes);
}
