import { Failure, type InputError } from "../../failure.ts";

/** The request resumes from another offset than the upload has. */
export function mismatch(offset: number, isComplete: boolean, location?: string): Failure {
  const detail = isComplete ? "The upload is complete." : `The upload has ${offset} bytes. Resume from there.`;
  return new Failure("upload_offset_mismatch", detail, { upload: { offset, isComplete, location } });
}

/** The body stopped in its middle. A client whose connection broke never reads this; one that was too slow does. */
export function cutAt(offset: number): Failure {
  const detail = `The bytes arrived too slowly. The upload has ${offset} bytes. Resume from there.`;
  return new Failure("request_timeout", detail, { upload: { offset, isComplete: false } });
}

/** The bytes that have arrived are not as many as `Upload-Length` says. */
export const lengthFailure = (detail: string) => invalidHeader("upload-length", "upload_length", detail);

export function tooManyUnfinished(count: number): Failure {
  const detail = `${count} of your uploads are not complete. Complete or delete some first.`;
  return new Failure("rate_limited", detail, { retryAfterSeconds: 60 });
}

/** A header that does not fit this upload. */
export function invalidHeader(name: string, code: InputError["code"], detail: string): Failure {
  return new Failure("validation_failed", detail, { errors: [{ in: "header", pointer: `/${name}`, code, detail }] });
}
