import { aFolder, inS3rver } from "../support/stores.ts";
import { testObjectStore } from "./support/object-store-suite.ts";

for (const kind of [aFolder, inS3rver]) testObjectStore(kind);
