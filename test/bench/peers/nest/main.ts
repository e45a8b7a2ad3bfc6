import "reflect-metadata";
import { Catch, Module, ValidationPipe, type ArgumentsHost, type ExceptionFilter } from "@nestjs/common";
import { APP_FILTER, APP_GUARD, NestFactory } from "@nestjs/core";
import type { Response } from "express";
import { createApi } from "../domain/api.ts";
import { problemOf, Refusal } from "../domain/refusal.ts";
import { readSettings } from "../domain/settings.ts";
import { createPrismaStore } from "../domain/store-prisma.ts";
import { API, BearerGuard } from "./authentication.ts";
import * as controllers from "./controllers.ts";

const settings = readSettings();

/** Nest renders its own exceptions, such as those of the ValidationPipe. */
@Catch(Refusal)
class RefusalFilter implements ExceptionFilter<Refusal> {
  catch(refusal: Refusal, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    response.status(refusal.status).type("application/problem+json").json(problemOf(refusal));
  }
}

@Module({
  controllers: Object.values(controllers),
  providers: [
    { provide: API, useFactory: () => createApi(createPrismaStore(settings), settings) },
    { provide: APP_GUARD, useClass: BearerGuard },
    { provide: APP_FILTER, useClass: RefusalFilter },
  ],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ["error", "warn"] });
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true }));
await app.listen(settings.port, "127.0.0.1");
