import type { Operations } from "../contract/contract.ts";
import type { Connections } from "../database/client.ts";
import { findDisplayName, renameUser } from "../auth/users.ts";
import { deletedCaller, searchUsers } from "./service.ts";
import { findUser } from "#generated/sql/users.ts";
import { toAccount, toDeletedUser, toUser } from "./wire.ts";

type UserDeps = Pick<Connections, "pool"> & { readonly isDirectoryOn: boolean };
type AccountOperations = Pick<Operations<"Service">, "getAccount" | "updateAccount">;

export function userHandlers({ pool, isDirectoryOn }: UserDeps): Operations<"Users"> & AccountOperations {
  return {
    async getAccount({ principal }) {
      const name = await findDisplayName(pool, principal.userId);
      if (name === null) throw deletedCaller();
      return { status: 200, body: toAccount(principal, name) };
    },

    async updateAccount({ principal, body: { display_name: name } }) {
      if (!(await renameUser(pool, principal.userId, name))) throw deletedCaller();
      return { status: 200, body: toAccount(principal, name) };
    },

    async findUsers({ query: { name } }) {
      const { users, isTruncated } = await searchUsers(pool, isDirectoryOn, name);
      return { status: 200, body: { data: users.map(toUser), truncated: isTruncated } };
    },

    async getUser({ path: { user_id: id } }) {
      const user = await findUser(pool, { id });
      return { status: 200, body: user === null ? toDeletedUser(id) : toUser(user) };
    },
  };
}
