import { Failure, type InputError } from "../../failure.ts";

export function mismatch(offset: number, isComplete: boolean): Failure {
  const detail = isComplete ? "The upload is complete." : `The upload has ${offset} bytes. Resume from there.`;
  return new Failure("upload_offset_mismatch", detail, { upload: { offset, isComplete } });
}

export function invalidHeader(name: string, code: InputError["code"], detail: string): Failure {
  return new Failure("validation_failed", detail, { errors: [{ in: "header", pointer: `/${name}`, code, detail }] });
}

/** The length differs from the announced one. */
export const wrongLength = (lengthBytes: number, found: string) =>
  invalidHeader("upload-length", "upload_length", `The announced length is ${lengthBytes} bytes, but ${found}`);

/** A request has bytes for an upload that is complete. */
export function moreThanWhole(sizeBytes: number): Failure {
  const detail = `The upload is complete with ${sizeBytes} bytes.`;
  return invalidHeader("upload-length", "upload_length", detail).with({ upload: { offset: sizeBytes, isComplete: true } });
}

/** Refuses an earlier digest of the whole upload, because it would have to be stored until the last bytes arrive. */
export function earlyDigest(): Failure {
  const detail = "Send Repr-Digest with the last bytes only, where Upload-Complete is ?1.";
  return invalidHeader("repr-digest", "conflicting_parameters", detail);
}

/** The body ended early. Only a client that was too slow gets this response. */
export function tooSlow(offset: number): Failure {
  const detail = `The bytes arrived too slowly. The upload has ${offset} bytes. Resume from there.`;
  return new Failure("request_timeout", detail, { upload: { offset, isComplete: false } });
}
