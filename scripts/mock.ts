import { StartupError } from "../src/startup-error.ts";
import { startMock } from "./mock/start-mock.ts";

const PORT = 3001;

try {
  const mock = await startMock(Number(process.env["PORT"] || PORT));
  console.log(
    [
      `The contract's examples answer at ${mock.url}`,
      `  curl -H "Authorization: Bearer any" "${mock.url}/posts"`,
      `  curl -H "Authorization: Bearer any" -H "Prefer: code=404" "${mock.url}/account"`,
      "Prefer chooses among the answers of an operation: code=404 or example=by_offset. Ctrl-C stops it.",
    ].join("\n"),
  );
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void mock.close());
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
