export { findUser, findUsersByName, type FindUserRow as UserRow } from "#generated/sql/users.ts";
