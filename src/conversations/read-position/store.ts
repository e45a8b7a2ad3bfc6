export * from "#generated/sql/conversations/read-position.ts";
