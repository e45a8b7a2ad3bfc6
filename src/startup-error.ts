/** Why the service cannot start or go on: its message is one clear sentence that is printed to the operator as it is. */
export class StartupError extends Error {
  override readonly name = "StartupError";
}
