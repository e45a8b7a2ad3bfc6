import { Failure } from "../../failure.ts";

/** The client goes on somewhere else than where the upload is: the answer says where that is. */
export function mismatch(offset: number, isComplete: boolean, location?: string): Failure {
  const detail = isComplete ? "The upload is complete." : `The upload has ${offset} bytes. Resume from there.`;
  return new Failure("upload_offset_mismatch", detail, {
    upload: { offset, isComplete, location },
  });
}

/** Whoever was too slow is told where to go on; one whose connection broke does not read it. */
export function cutAt(offset: number): Failure {
  const detail = `The bytes arrived too slowly. The upload has ${offset} bytes. Resume from there.`;
  return new Failure("request_timeout", detail, {
    upload: { offset, isComplete: false },
  });
}

/** It would have to be kept until the last bytes come; with them it can be sent. */
export function tooEarly(): Failure {
  const detail = "Send Repr-Digest with the last bytes only, where Upload-Complete is ?1.";
  return new Failure("validation_failed", detail, {
    errors: [{ in: "header", pointer: "/repr-digest", code: "conflicting_parameters", detail }],
  });
}

/** What has come is not what `Upload-Length` has announced. */
export function lengthFailure(detail: string): Failure {
  return new Failure("validation_failed", detail, {
    errors: [{ in: "header", pointer: "/upload-length", code: "upload_length", detail }],
  });
}
