import { describe, expect, it } from "@jest/globals";
import { openConversation, send } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

describe("DELETE /conversations/{conversationId}/mute", () => {
  it("lets messages notify the member again from the next one on, and can be repeated", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    await yuki("PUT", `${conversation.path}/mute`);
    await send(ada, conversation, "Not heard");
    for (const _ of ["first", "again"]) expect(await yuki("DELETE", `${conversation.path}/mute`)).toMatchObject({ status: 204 });
    expect(await yuki("GET", conversation.path)).toMatchObject({ body: { muted: false, unread_count: 1 } });
    await send(ada, conversation, "Heard");
    expect((await yuki("GET", "/notifications?kind=message.created")).body.data).toMatchObject([
      { body: "Heard", event_count: 1 },
    ]);
  });
});
