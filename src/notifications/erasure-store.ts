import { eraseFromNotifications } from "#generated/sql/notifications/erasure-store.ts";
import type { Tx } from "../database/client.ts";
import type { ErasedUser } from "../database/table.ts";
import { DELETED_TEXT, NAME_OF_NOBODY, NOBODY } from "../users/nobody.ts";

/** Removes the name and the words of a user from some of the notifications about a conversation, and returns their number. */
export const eraseFromSome = (tx: Tx, conversationId: string, { id: userId, displayName: name }: ErasedUser, batch: number) =>
  eraseFromNotifications(tx, {
    ...{ userId, conversationId, name, batch },
    ...{ nobody: NOBODY, text: DELETED_TEXT, nameOfNobody: NAME_OF_NOBODY },
  });
