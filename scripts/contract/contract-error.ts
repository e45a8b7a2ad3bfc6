import { StartupError } from "../../src/util/startup-error.ts";

/** A mistake that you can correct. A command prints its message without a stack trace, and fails. */
export class ContractError extends StartupError {
  override readonly name: string = "ContractError";
}
