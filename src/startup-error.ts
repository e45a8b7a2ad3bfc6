/** Why the service or a command cannot start or go on. Its message is one clear sentence that is printed as it is. */
export class StartupError extends Error {
  override readonly name: string = "StartupError";
}
