import { itSurvivesRandomRequests } from "../support/fuzz.ts";

itSurvivesRandomRequests(2_000);
