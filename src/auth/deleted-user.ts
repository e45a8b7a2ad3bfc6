/** What is left of deleted users. It is with the wire formats, because a read shows it before a job has written it. */
export { DELETED_TEXT, NAME_OF_NOBODY, NOBODY } from "./wire.ts";
