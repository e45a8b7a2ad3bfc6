import { runCommand } from "../src/command.ts";
import { startMock } from "./mock/start-mock.ts";

const PORT = 3001;
const USAGE = `Answers every operation with the examples of the contract, on port ${PORT} or on PORT.

Usage: npm run mock`;

await runCommand({ usage: USAGE }, async () => {
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
});
