import { randomUUIDv7 } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import type { Answer, Client } from "../support/client.ts";
import { openConversation, send, type Conversation } from "../support/conversations.ts";
import { hold } from "../support/locks.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

type Group = { readonly ada: Client; readonly yuki: Client; readonly tom: Client; readonly conversation: Conversation };

/** A conversation that Ada owns, with members who joined in this order: Ada, Yuki, Tom. */
async function group(): Promise<Group> {
  const [ada, yuki, tom] = [await service.as(), await service.as(), await service.as()];
  const conversation = await openConversation(ada, [yuki]);
  await ada("PUT", `${conversation.members}/${tom.userId}`);
  return { ada, yuki, tom, conversation };
}

const handOver = (owner: Client, { members }: Conversation, to: string) => owner("PATCH", `${members}/${to}`, { role: "owner" });
const remove = (caller: Client, { members }: Conversation, who: Client) => caller("DELETE", `${members}/${who.userId}`);
const ownersSeenBy = async (member: Client, { members }: Conversation): Promise<string[]> =>
  (await member("GET", members)).body.data
    .filter((it: { role: string }) => it.role === "owner")
    .map((it: { user_id: string }) => it.user_id);

/** Sends requests that wait for the conversation one after the other, in this order. */
async function inLine({ conversation }: Group, requests: readonly (() => Promise<Answer>)[]): Promise<Answer[]> {
  const lock = "SELECT 1 FROM conversations WHERE id = $1::uuid FOR UPDATE";
  await using holder = await hold(service.databaseUrl, lock, [conversation.id]);
  const sent: Promise<Answer>[] = [];
  for (const request of requests) {
    sent.push(request());
    await holder.blocks(sent.length);
  }
  await holder.release();
  return await Promise.all(sent);
}

describe("PATCH /conversations/{conversationId}/members/{user_id}", () => {
  it("makes the member the owner and the owner a member, and changes neither the order of members nor joined_at", async () => {
    const { ada, yuki, tom, conversation } = await group();
    const before = (await ada("GET", conversation.members)).body.data;
    expect(await handOver(ada, conversation, tom.userId)).toMatchObject({ status: 200, body: { ...before[2], role: "owner" } });
    expect((await yuki("GET", conversation.members)).body.data).toEqual([
      { ...before[0], role: "member" },
      before[1],
      { ...before[2], role: "owner" },
    ]);
    expect(await remove(ada, conversation, yuki)).toMatchObject({ status: 403, body: { code: "not_the_owner" } });
    expect(await remove(tom, conversation, ada)).toMatchObject({ status: 204 });
  });

  it("changes nothing if the owner names themselves, a user who is not a member, a former member or an unknown id", async () => {
    const { ada, yuki, tom, conversation } = await group();
    await remove(ada, conversation, yuki);
    expect(await handOver(ada, conversation, ada.userId)).toMatchObject({ status: 200, body: { role: "owner" } });
    for (const id of [(await service.as()).userId, yuki.userId, randomUUIDv7()])
      expect(await handOver(ada, conversation, id)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await ownersSeenBy(tom, conversation)).toEqual([ada.userId]);
  });

  it("accepts one of ten hand-overs of an owner at the same time, and the member that it names becomes the owner", async () => {
    const { ada, yuki, tom, conversation } = await group();
    const successors = [yuki, tom, yuki, tom, yuki, tom, yuki, tom, yuki, tom];
    const answers = await Promise.all(successors.map((it) => handOver(ada, conversation, it.userId)));
    const accepted = answers.filter((it) => it.status === 200);
    expect(accepted).toHaveLength(1);
    expect(answers.filter((it) => it.body.code === "not_the_owner")).toHaveLength(9);
    expect(await ownersSeenBy(ada, conversation)).toEqual([accepted[0]!.body.user_id]);
  });

  it("shows exactly one owner in each list that is read while the ownership is transferred repeatedly, and stores the messages sent at the same time", async () => {
    const { ada, yuki, tom, conversation } = await group();
    const reader = await service.as();
    await ada("PUT", `${conversation.members}/${reader.userId}`);
    const round = [ada, yuki, tom];
    let isOver = false;
    const counts: number[] = [];
    const reading = (async () => {
      while (!isOver) counts.push((await ownersSeenBy(reader, conversation)).length);
    })();
    const sending = Promise.all(round.map((it) => send(it, conversation, "While the owner changes")));
    for (let n = 0; n < 30; n++)
      expect(await handOver(round[n % 3]!, conversation, round[(n + 1) % 3]!.userId)).toMatchObject({ status: 200 });
    isOver = true;
    await reading;
    expect(new Set(counts)).toEqual(new Set([1]));
    expect((await sending).map((it) => it.status)).toEqual([201, 201, 201]);
  });

  const toYuki = ({ ada, yuki, conversation }: Group) => handOver(ada, conversation, yuki.userId);
  const toTom = ({ ada, tom, conversation }: Group) => handOver(ada, conversation, tom.userId);
  const adaLeaves = ({ ada, conversation }: Group) => remove(ada, conversation, ada);
  const adaRemovesYuki = ({ ada, yuki, conversation }: Group) => remove(ada, conversation, yuki);
  const yukiLeaves = ({ yuki, conversation }: Group) => remove(yuki, conversation, yuki);
  it.each([
    ["a hand-over, then another one", [toYuki, toTom], [200, 403], "yuki"],
    [
      "a hand-over, then the successor leaves",
      [toTom, ({ tom, conversation }: Group) => remove(tom, conversation, tom)],
      [200, 204],
      "ada",
    ],
    ["the successor leaves, then a hand-over", [yukiLeaves, toYuki], [204, 404], "ada"],
    ["a hand-over, then the former owner leaves", [toTom, adaLeaves], [200, 204], "tom"],
    ["the owner leaves, then a hand-over", [adaLeaves, toTom], [204, 403], "yuki"],
    ["a hand-over, then the former owner removes the successor", [toYuki, adaRemovesYuki], [200, 403], "yuki"],
    ["the owner removes the successor, then a hand-over", [adaRemovesYuki, toYuki], [204, 404], "ada"],
  ] as const)("leaves one owner after %s, if both wait for the conversation", async (_what, requests, statuses, owner) => {
    const people = await group();
    const answers = await inLine(
      people,
      requests.map((it) => () => it(people)),
    );
    expect(answers.map((it) => it.status)).toEqual(statuses);
    expect(await ownersSeenBy(people[owner], people.conversation)).toEqual([people[owner].userId]);
  });

  it("is not the only guard against a second owner: the database refuses one from any version of the service", async () => {
    const { conversation } = await group();
    await expect(
      service.db.$executeRaw`UPDATE members SET role = 'owner' WHERE conversation_id = ${conversation.id}::uuid`,
    ).rejects.toMatchObject({ message: expect.stringContaining("23505") });
  });
});
