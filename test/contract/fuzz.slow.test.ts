import { itSurvivesRandomRequests } from "./support/fuzz.ts";
import { sized } from "../support/size.ts";

itSurvivesRandomRequests(sized(2_000, 20_000));
