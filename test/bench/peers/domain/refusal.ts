/** A response that is not a success. Each framework makes the response in its own way. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

/** The body of a refusal, as RFC 9457 describes it. */
export const problemOf = ({ status, code, message }: Refusal) => ({ type: "about:blank", status, code, detail: message });

export const invalid = (detail: string) => new Refusal(400, "validation_failed", detail);
export const notFound = (what: string) => new Refusal(404, "not_found", `There is no such ${what}.`);
export const notAMember = () => new Refusal(403, "not_a_member", "You are not a member of this conversation.");
export const keyReused = () =>
  new Refusal(422, "idempotency_key_reused", "This Idempotency-Key was used for a different request.");
