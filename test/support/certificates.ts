import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type Authority = {
  /** The path of the certificate of the authority. */
  readonly file: string;
  /** A certificate for these names and addresses, such as `IP:127.0.0.1`, and its key, as PEM. */
  issue(subjectAltName: string): { readonly certificate: string; readonly key: string };
};

/** Creates a certificate authority with openssl, in a folder below the folder for temporary files. */
export function createAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-authority-"));
  const path = (name: string) => join(folder, name);
  const openssl = (...args: readonly string[]) => execFileSync("openssl", args, { stdio: ["ignore", "pipe", "pipe"] });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl("req", "-x509", ...newKey, "-subj", "/CN=a test", "-days", "2", "-keyout", path("ca.key"), "-out", path("ca.crt"));
  return {
    file: path("ca.crt"),
    issue(subjectAltName) {
      openssl("req", ...newKey, "-subj", "/CN=a server", "-keyout", path("server.key"), "-out", path("server.csr"));
      writeFileSync(path("names"), `subjectAltName=${subjectAltName}\n`);
      const signing = ["-CA", path("ca.crt"), "-CAkey", path("ca.key"), "-CAcreateserial", "-days", "2"];
      openssl("x509", "-req", "-in", path("server.csr"), ...signing, "-extfile", path("names"), "-out", path("server.crt"));
      return { certificate: readFileSync(path("server.crt"), "utf8"), key: readFileSync(path("server.key"), "utf8") };
    },
  };
}
