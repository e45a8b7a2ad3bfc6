/** The service or a command cannot start or continue. The message is a sentence for the operator, printed without a stack. */
export class StartupError extends Error {
  override readonly name: string = "StartupError";
}
