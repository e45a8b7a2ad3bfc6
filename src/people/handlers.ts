import { findUser } from "#generated/sql/people.ts";
import type { Operations } from "../contract/contract.ts";
import type { Connections } from "../database/client.ts";
import { searchUsers } from "./service.ts";
import { toDeletedUser, toUser } from "./wire.ts";

type PeopleDependencies = Pick<Connections, "pool"> & { readonly isDirectoryOn: boolean };

export function peopleHandlers({ pool, isDirectoryOn }: PeopleDependencies): Operations<"Users"> {
  return {
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
