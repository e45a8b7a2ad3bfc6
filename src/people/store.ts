export { findUser, findUsersByName, type FindUserRow as UserRow } from "#generated/sql/people.ts";
