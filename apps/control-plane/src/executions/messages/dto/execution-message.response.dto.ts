import { ResponseInteger, ResponseList, ResponseObject, ResponseString, ResponseTime } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { ConversationMessage } from './conversation-message.response.dto.js';

export class SessionResponse {
  @ResponseString()
  readonly execution_id!: string;

  @ResponseString({
    nullable: true,
    description: 'Session id, given at the start of the run or chosen by its worker; null without one',
  })
  readonly session_id!: string | null;

  @ResponseString({
    nullable: true,
    description: 'User id that the worker saved, otherwise that of the execution; null without one',
  })
  readonly user_id!: string | null;

  @ResponseList(ConversationMessage, {
    description: 'Messages, oldest first: those that the worker saved, then those sent since',
  })
  readonly messages!: readonly ConversationMessage[];

  @ResponseInteger({ description: 'Number of messages' })
  readonly message_count!: number;

  @ResponseObject()
  readonly metadata!: JsonObject;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}

export class AppendedMessagesResponse {
  @ResponseString()
  readonly execution_id!: string;

  @ResponseInteger({ description: 'Number of messages that are stored now' })
  readonly message_count!: number;
}

export class ConversationResponse {
  @ResponseList(ConversationMessage, {
    description:
      'Texts of earlier executions of the session and of the same user, oldest first: the newest 100, at most 256 KiB',
  })
  readonly earlier_messages!: readonly ConversationMessage[];

  @ResponseList(ConversationMessage, {
    description: 'Messages of the execution, oldest first: the stored ones, then those sent since',
  })
  readonly messages!: readonly ConversationMessage[];
}

export class SentMessageResponse {
  @ResponseString()
  readonly execution_id!: string;

  @ResponseString({ description: 'Message id' })
  readonly message_id!: string;

  @ResponseString({ description: 'Role of the author' })
  readonly role!: string;

  @ResponseString({ description: 'Text of the message' })
  readonly content!: string;

  @ResponseTime({ description: 'Time at which the message was received' })
  readonly timestamp!: string;
}
