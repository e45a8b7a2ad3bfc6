/** A response that does not match the contract: a defect of the service. */
export class ResponseMismatch extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
