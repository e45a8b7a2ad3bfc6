import { areas } from "./areas.ts";
import { database } from "./database.ts";
import { http } from "./http.ts";
import type { Mutant } from "./mutant.ts";
import { subtle } from "./subtle.ts";
import { videos } from "./videos.ts";

/** Every mutant that `npm run test:mutants` applies. */
export const mutants: readonly Mutant[] = [...http, ...areas, ...videos, ...database, ...subtle];
