import type { components } from "../../../../generated/openapi.d.ts";

/** The form of the responses: as in our contract, so that the benchmark can compare them. */
type Schemas = components["schemas"];
export type Health = Schemas["Health"];
export type Url = Schemas["Url"];
export type Post = Schemas["Post"];
export type Message = Schemas["Message"];
export type Conversation = Schemas["Conversation"];
export type Notification = Schemas["Notification"];
/** A user beside what they did. Deleted users have no name. */
export const toUser = (id: string, name: string | null): Schemas["UserSummary"] => ({
  id,
  display_name: name,
  deleted: name === null,
});

export type Page<Item, Info = object> = {
  data: Item[];
  page: { limit: number; next_cursor: string | null } & Info;
};
