import { itSurvivesRandomRequests } from "./support/fuzz.ts";

itSurvivesRandomRequests(1_000);
