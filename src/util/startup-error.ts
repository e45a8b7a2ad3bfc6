/** The service or a command can't start or continue. The message is for the operator, and printed without a stack. */
export class StartupError extends Error {
  override readonly name: string = "StartupError";
}
