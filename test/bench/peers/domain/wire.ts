/** What the responses look like. They are those of our contract, so that the benchmark can compare them. */

export type Url = {
  id: string;
  short_url: string;
  target_url: string;
  expires_at: string | null;
  click_count: number;
  last_clicked_at: string | null;
  created_at: string;
};
export type Post = {
  id: string;
  author_id: string;
  title: string;
  body: string;
  created_at: string;
  updated_at: string;
};
export type Message = {
  id: string;
  conversation_id: string;
  sender_id: string;
  sequence: number;
  body: string;
  created_at: string;
};
export type Conversation = {
  id: string;
  title: string | null;
  created_by: string;
  member_count: number;
  last_message_at: string | null;
  created_at: string;
};
export type Notification = {
  id: string;
  kind: string;
  status: "unread" | "read";
  title: string;
  body: string | null;
  resource: { type: string; id: string; href: string };
  event_count: number;
  created_at: string;
  updated_at: string;
  read_at: string | null;
};
export type Page<Item, Info = object> = {
  data: Item[];
  page: { limit: number; next_cursor: string | null } & Info;
};
