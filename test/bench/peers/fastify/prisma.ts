import { createApi } from "../domain/api.ts";
import { readSettings } from "../domain/settings.ts";
import { createPrismaStore } from "../domain/store-prisma.ts";
import { createFastifyApp } from "./app.ts";

const settings = readSettings();
await createFastifyApp(createApi(createPrismaStore(settings), settings)).listen({ port: settings.port, host: "127.0.0.1" });
