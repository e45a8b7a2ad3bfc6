import { contentTooLarge, Failure } from "../../failure.ts";
import { contentLengthOf } from "../receive-body.ts";
import { wrongLength } from "./failures.ts";
import type { AppendRequest } from "./transfer.ts";

/** An upload before a request adds to it. `lengthBytes` is the length that earlier requests announced. */
type Before = { readonly offsetBytes: number; readonly lengthBytes: number | null };
type Announcement = { readonly refusal: Failure } | { readonly refusal: null; readonly lengthBytes: number | null };

/** The length that a request announces: its `Upload-Length`, or the end of its body if that is the last. Refuses one that differs. */
export function announce(
  { isLast, announcedBytes, body }: Pick<AppendRequest, "isLast" | "announcedBytes" | "body">,
  { offsetBytes, lengthBytes: known }: Before,
  maxBytes: number,
): Announcement {
  const contentLength = contentLengthOf(body);
  const endBytes = contentLength === null ? null : offsetBytes + contentLength;
  const lengthBytes = known ?? announcedBytes ?? (isLast ? endBytes : null);
  const tooLarge = () => ({ refusal: contentTooLarge("A video", maxBytes) });
  if (lengthBytes === null) return (endBytes ?? 0) > maxBytes ? tooLarge() : { refusal: null, lengthBytes };
  const refuse = (found: string) => ({ refusal: wrongLength(lengthBytes, found) });
  if (announcedBytes !== null && announcedBytes !== lengthBytes) return refuse(`this request announces ${announcedBytes}.`);
  if (lengthBytes === 0) return { refusal: emptyUpload() };
  if (lengthBytes < offsetBytes) return refuse(`${offsetBytes} have arrived.`);
  if (endBytes !== null && (isLast ? endBytes !== lengthBytes : endBytes > lengthBytes))
    return refuse(`with this request, the upload would end at ${endBytes}.`);
  if (known === null && lengthBytes > maxBytes) return tooLarge();
  return { refusal: null, lengthBytes };
}

export const emptyUpload = () => new Failure("malformed_body", "The upload is empty. Send the bytes of the video.");
