import {
  createParamDecorator,
  Inject,
  Injectable,
  SetMetadata,
  type CanActivate,
  type ExecutionContext,
  type PipeTransform,
} from "@nestjs/common";
import { Reflector } from "@nestjs/core";
import type { Request } from "express";
import type { Api } from "../domain/api.ts";
import { requireScope, type Principal } from "../domain/credentials.ts";
import { invalid } from "../domain/refusal.ts";

export const API = Symbol("api");

const SCOPE = "scope";
/** The scope that a route needs. A route without one is public. */
export const Scope = (scope: string) => SetMetadata(SCOPE, scope);

type Identified = Request & { principal?: Principal };

@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    @Inject(API) private readonly api: Api,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const scope = this.reflector.get<string | undefined>(SCOPE, context.getHandler());
    if (scope === undefined) return true;
    const request = context.switchToHttp().getRequest<Identified>();
    request.principal = await this.api.authenticate(request.headers.authorization);
    requireScope(request.principal, scope);
    return true;
  }
}

/** The principal that the guard has found. */
export const Caller = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<Identified>().principal!,
);

const KEY = /^("[A-Za-z0-9._:~+/=-]{8,128}"|[A-Za-z0-9._:~+/=-]{8,128})$/;

/** The header `Idempotency-Key`, which `KeyPipe` checks. */
export const IdempotencyKey = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<Request>().get("idempotency-key"),
);

export class KeyPipe implements PipeTransform<string | undefined> {
  constructor(private readonly isRequired: boolean) {}

  transform(key: string | undefined): string | undefined {
    if (key === undefined ? this.isRequired : !KEY.test(key)) throw invalid("Idempotency-Key has the wrong form.");
    return key;
  }
}
