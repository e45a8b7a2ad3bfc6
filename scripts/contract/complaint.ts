import { StartupError } from "../../src/util/startup-error.ts";

/** A mistake that you can correct: a command prints the message without a stack, and fails. */
export class Complaint extends StartupError {
  override readonly name: string = "Complaint";
}
