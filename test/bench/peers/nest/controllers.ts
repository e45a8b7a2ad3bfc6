import { Body, Controller, Get, Inject, Param, Post, Query, Redirect, Res } from "@nestjs/common";
import type { Response } from "express";
import type { Api, Created } from "../domain/api.ts";
import type { Principal } from "../domain/credentials.ts";
import { API, Caller, IdempotencyKey, KeyPipe, Scope } from "./authentication.ts";
import * as dto from "./dto.ts";

function created<T>(response: Response, { headers, body }: Created<T>): T {
  response.set(headers);
  return body;
}

@Controller("health")
export class HealthController {
  constructor(@Inject(API) private readonly api: Api) {}

  @Get()
  health() {
    return this.api.health();
  }
}

@Controller()
export class UrlsController {
  constructor(@Inject(API) private readonly api: Api) {}

  @Get("urls/:id")
  @Scope("urls:read")
  read(@Caller() caller: Principal, @Param() { id }: dto.UrlParams) {
    return this.api.readUrl(caller, id);
  }

  @Get("u/:id")
  @Redirect()
  async follow(@Param() { id }: dto.UrlParams) {
    return { url: await this.api.followUrl(id), statusCode: 302 };
  }
}

@Controller("posts")
export class PostsController {
  constructor(@Inject(API) private readonly api: Api) {}

  @Get()
  @Scope("posts:read")
  list(@Query() query: dto.PostListQuery) {
    return this.api.listPosts(query);
  }

  @Post()
  @Scope("posts:write")
  async create(
    @Caller() caller: Principal,
    @IdempotencyKey(new KeyPipe(false)) key: string | undefined,
    @Body() post: dto.NewPost,
    @Res({ passthrough: true }) response: Response,
  ) {
    return created(response, await this.api.createPost(caller, post, key));
  }
}

@Controller("conversations")
export class ConversationsController {
  constructor(@Inject(API) private readonly api: Api) {}

  @Get()
  @Scope("conversations:read")
  list(@Caller() caller: Principal, @Query() query: dto.ListQuery) {
    return this.api.listConversations(caller, query);
  }

  @Get(":conversationId/messages")
  @Scope("conversations:read")
  history(
    @Caller() caller: Principal,
    @Param() { conversationId }: dto.ConversationParams,
    @Query() query: dto.MessageListQuery,
  ) {
    return this.api.listMessages(caller, conversationId, query);
  }

  @Post(":conversationId/messages")
  @Scope("conversations:write")
  async send(
    @Caller() caller: Principal,
    @Param() { conversationId }: dto.ConversationParams,
    @IdempotencyKey(new KeyPipe(true)) key: string,
    @Body() { body }: dto.NewMessage,
    @Res({ passthrough: true }) response: Response,
  ) {
    return created(response, await this.api.createMessage(caller, conversationId, body, key));
  }
}

@Controller("notifications")
export class NotificationsController {
  constructor(@Inject(API) private readonly api: Api) {}

  @Get()
  @Scope("notifications:read")
  list(@Caller() caller: Principal, @Query() query: dto.NotificationListQuery) {
    return this.api.listNotifications(caller, query);
  }
}
