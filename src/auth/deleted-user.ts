/** The placeholders of deleted users. Defined with the wire formats, because responses have them before a job has written them. */
export { DELETED_TEXT, DELETED_USER_NAME, DELETED_USER_ID } from "./wire.ts";
