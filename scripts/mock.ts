import { runCommand } from "../src/util/command.ts";
import { startMock } from "./mock/start-mock.ts";

const PORT = 3001;
const USAGE = `Runs a server that returns the examples of the contract, on PORT or else on port ${PORT}.

Usage: npm run mock`;

await runCommand({ usage: USAGE }, async () => {
  const mock = await startMock(Number(process.env["PORT"] || PORT));
  console.log(
    [
      `The mock runs at ${mock.url} and returns the examples of the contract.`,
      `  curl -H "Authorization: Bearer any" "${mock.url}/posts"`,
      `  curl -H "Authorization: Bearer any" -H "Prefer: code=404" "${mock.url}/account"`,
      "Send Prefer to choose a response: code=404 or example=by_offset. Press Ctrl-C to stop.",
    ].join("\n"),
  );
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void mock.close());
});
