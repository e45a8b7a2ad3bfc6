import { check } from "../typescript-steps.ts";

/** The body of the one expected response. Its `status` distinguishes it from others. */
export function expect<A extends { status: number; data: unknown }, S extends A["status"]>(answer: A, status: S): Extract<A, { status: S }> {
  check(answer.status === status, `${answer.status} instead of ${status}: ${JSON.stringify(answer.data)}`);
  return answer as Extract<A, { status: S }>;
}
