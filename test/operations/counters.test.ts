import { randomUUIDv7 } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { transaction, type Tx } from "../../src/database/client.ts";
import { takeNumber } from "../../src/database/counter.ts";
import { startTestService, type TestService } from "../support/service.ts";

const TAKE = takeNumber({ table: "conversations", column: "last_sequence", id: "$1::uuid" });
const COUNT = 60;
const GIVEN_BACK = "taken, and then given back";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: "api" });
});
afterAll(() => service.close());

async function take(tx: Tx, id: string): Promise<number | undefined> {
  const [row] = await tx.$queryRawUnsafe<{ number: number }[]>(TAKE, id);
  return row?.number;
}

describe("the next number of a parent", () => {
  it("increases from 1 without gaps under concurrent transactions, even if some of them fail", async () => {
    const { userId } = await service.as();
    const [id, other] = [randomUUIDv7(), randomUUIDv7()];
    await service.db.conversation.createMany({ data: [id, other].map((it) => ({ id: it, createdById: userId })) });
    const numbers = await Promise.all(
      Array.from({ length: COUNT }, (_, index) =>
        transaction(service.db, async (tx) => {
          const number = await take(tx, id);
          if (index % 3 === 0) throw new Error(GIVEN_BACK);
          return number!;
        }).catch((error: unknown) => {
          if ((error as Error).message !== GIVEN_BACK) throw error;
          return null;
        }),
      ),
    );
    const kept = numbers.filter((it) => it !== null).sort((a, b) => a - b);
    expect(kept).toEqual(Array.from({ length: (COUNT / 3) * 2 }, (_, index) => index + 1));
    expect(await take(service.db, other)).toBe(1);
  });

  it("is missing if the parent doesn't exist", async () => {
    expect(await take(service.db, randomUUIDv7())).toBeUndefined();
  });
});
