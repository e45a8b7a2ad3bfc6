import { Type } from "class-transformer";
import { IsIn, IsInt, IsOptional, IsString, IsUUID, Length, Matches, Max, MaxLength, Min } from "class-validator";
import type { Sort } from "../domain/api.ts";

const CURSOR = /^[A-Za-z0-9._-]{1,512}$/;
const TEXT = /^\s*[^\s\x00][^\x00]*$/;

export class UrlParams {
  @Matches(/^[A-Za-z0-9][A-Za-z0-9_-]{3,63}$/)
  id: string;
}

export class ConversationParams {
  @IsUUID()
  conversationId: string;
}

export class ListQuery {
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit = 20;

  @IsIn(["created_at", "-created_at"])
  sort: Sort = "-created_at";

  @IsOptional()
  @Matches(CURSOR)
  after?: string;
}

export class PostListQuery extends ListQuery {
  @IsOptional()
  @IsUUID()
  author?: string;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(10_000)
  offset?: number;
}

export class MessageListQuery {
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit = 20;

  @IsOptional()
  @Matches(CURSOR)
  before?: string;

  @IsOptional()
  @Matches(CURSOR)
  after?: string;
}

export class NotificationListQuery extends ListQuery {
  @IsOptional()
  @IsIn(["unread", "read"])
  status?: "unread" | "read";

  @IsOptional()
  @IsString()
  @MaxLength(60)
  kind?: string;
}

export class NewPost {
  @IsString()
  @Length(1, 200)
  @Matches(/^ *[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$/)
  title: string;

  @IsString()
  @Length(1, 10_000)
  @Matches(TEXT)
  body: string;
}

export class NewMessage {
  @IsString()
  @Length(1, 4_000)
  @Matches(TEXT)
  body: string;
}
