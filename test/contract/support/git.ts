import { execFileSync } from "node:child_process";

const IDENTITY = ["-c", "user.name=Test", "-c", "user.email=test@plumbline.example", "-c", "commit.gpgsign=false"];

/** Runs git in a folder, with an identity of its own. */
export const gitIn =
  (cwd: string) =>
  (...options: string[]): string =>
    execFileSync("git", [...IDENTITY, ...options], { cwd, encoding: "utf8", stdio: "pipe" });
