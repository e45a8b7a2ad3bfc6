import { StartupError } from "../../src/startup-error.ts";

/** Something that a person has to put right: a command prints its message, without a stack, and fails. */
export class Complaint extends StartupError {
  override readonly name: string = "Complaint";
}
