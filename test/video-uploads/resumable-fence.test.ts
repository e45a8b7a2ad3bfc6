import { randomUUID, randomUUIDv7 } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import {
  addPiece,
  findPartial,
  findPieces,
  insertPartial,
  removePartial,
  truncatePieces,
  claimPartial,
} from "../../src/video-uploads/resumable/store.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const piece = (key: string) => ({ key, sizeBytes: 10, sha256: "0".repeat(64), newPieces: 1 });

describe("a writer that has lost a resumable upload to another writer", () => {
  it("can't add or remove pieces, and can't complete the upload", async () => {
    const { db } = service;
    const { userId: ownerId } = await service.as();
    const [id, first, second] = [randomUUIDv7(), randomUUID(), randomUUID()];
    await insertPartial(db, { id, ownerId, name: null, lengthBytes: null });
    const begun = (await claimPartial(db, { ownerId, id, writer: first }))!;
    expect(await addPiece(db, { id, writer: first, ...piece("one") })).toBe(1);
    await claimPartial(db, { ownerId, id, writer: second });
    expect(await addPiece(db, { id, writer: second, ...piece("two") })).toBe(1);

    expect(await addPiece(db, { id, writer: first, ...piece("late") })).toBe(0);
    expect(await truncatePieces(db, { id, writer: first, offsetBytes: begun.offsetBytes })).toBeNull();
    expect(await removePartial(db, { id, writer: first, ownerId: null })).toBeNull();
    expect((await findPieces(db, { id })).map((it) => it.key)).toEqual(["one", "two"]);
    expect(await findPartial(db, { id, ownerId })).toMatchObject({ offsetBytes: 20, pieceCount: 2 });
    expect(await removePartial(db, { id, writer: second, ownerId: null })).toEqual({ ownerId, sizeBytes: 20 });
  });

  it("can't be a user that doesn't own the upload", async () => {
    const { db } = service;
    const [{ userId: ownerId }, { userId: stranger }] = [await service.as(), await service.as()];
    const id = randomUUIDv7();
    await insertPartial(db, { id, ownerId, name: null, lengthBytes: null });
    expect(await claimPartial(db, { ownerId: stranger, id, writer: randomUUID() })).toBeNull();
  });
});
