import type { Body } from "../../support/client.ts";
import { openConversation, withKey } from "../../support/conversations.ts";
import { shownBody, type Users, type ExampleAnswers } from "./example-answers.ts";

/**
 * Mara opens a conversation with Tomás and adds Yuki, each of them sends a message, and Mara marks the notification about
 * Yuki's as read. Then she changes the title for a while, and Yuki owns the conversation for a while.
 */
export async function conversationExamples({ mara, tomas, yuki }: Users): Promise<ExampleAnswers> {
  await openConversation(mara, [tomas]);
  await openConversation(tomas, [mara]);
  const opened = await mara(
    "POST",
    "/conversations",
    { ...shownBody("createConversation", "with_title"), member_ids: [tomas.userId] },
    withKey(),
  );
  const path = opened.headers.get("location")!;
  const question = await mara("POST", `${path}/messages`, shownBody("createMessage", "question"), withKey());
  await tomas("POST", `${path}/messages`, { body: "I can, and I'll bring the long ladder." }, withKey());
  const added = await mara("PUT", `${path}/members/${yuki.userId}`);
  const again = await mara("PUT", `${path}/members/${yuki.userId}`);
  await yuki("POST", `${path}/messages`, { body: "I'll be there at seven, with coffee." }, withKey());
  const {
    body: {
      data: [latest],
    },
  } = (await mara("GET", "/notifications?limit=1")) as { body: { data: [Body] } };
  const newest = await mara("GET", `${path}/messages?limit=2`);
  const listed = await mara("GET", "/conversations?limit=1");
  const shown = await mara("GET", path);
  const retitled = await mara("PATCH", path, shownBody("updateConversation", "new_title"));
  await mara("PATCH", path, { title: opened.body.title });
  const handedOver = await mara("PATCH", `${path}/members/${yuki.userId}`, shownBody("updateMember", "hand_over"));
  await yuki("PATCH", `${path}/members/${mara.userId}`, { role: "owner" });
  return {
    "createConversation with_title": opened,
    "createMessage question": question,
    "putMember added": added,
    "putMember already": again,
    "listMessages newest": newest,
    "listMessages oldest": await mara("GET", `${path}/messages?limit=2&before=${newest.body.page.next_cursor}`),
    "listConversations first_page": listed,
    "updateConversation new_title": retitled,
    "updateMember hand_over": handedOver,
    "getConversation three_members": shown,
    "putReadPosition read": await mara("PUT", `${path}/read-position`, shownBody("putReadPosition", "read")),
    "updateNotification read": await mara("PATCH", `/notifications/${latest.id}`, shownBody("updateNotification", "read")),
  };
}
