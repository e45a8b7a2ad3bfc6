import { itSurvivesRandomRequests } from "../support/fuzz.ts";

itSurvivesRandomRequests(Number(process.env["FUZZ_REQUESTS"] ?? 10_000));
