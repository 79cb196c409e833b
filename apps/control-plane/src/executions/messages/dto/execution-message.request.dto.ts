import { MAX_SESSION_MESSAGES } from '@app/executions';
import { ObjectField, ObjectListField, StringField } from '@app/http';
import type { JsonObject } from '@app/kernel';

export class SaveSessionRequest {
  @StringField({ maxLength: 255 })
  readonly session_id?: string | null;

  @StringField({ description: 'User id, stored with the session' })
  readonly user_id?: string | null;

  @ObjectListField({
    empty: 'keep',
    maxItems: MAX_SESSION_MESSAGES,
    description: 'Whole conversation so far, oldest first',
  })
  readonly messages?: JsonObject[];

  @ObjectField({ empty: 'keep' })
  readonly metadata?: JsonObject;
}

export class AppendMessagesRequest {
  @StringField({ maxLength: 255 })
  readonly session_id?: string | null;

  @ObjectListField({
    required: true,
    maxItems: MAX_SESSION_MESSAGES,
    description: 'Messages to append, each with a `message_id`. A message whose id is already stored is skipped',
  })
  readonly messages!: JsonObject[];
}

export class ConversationQuery {
  @StringField({ empty: 'keep', maxLength: 255, description: 'Session whose earlier messages are returned as well' })
  readonly session_id?: string;
}

export class WaitForInputRequest {
  @ObjectField({ empty: 'keep', description: 'Usage of the run so far' })
  readonly usage?: JsonObject;
}

export class SendMessageRequest {
  @StringField({ required: true, description: 'Text of the message' })
  readonly message!: string;

  @StringField({ empty: 'keep', maxLength: 50, default: 'user', description: 'Role of the author. Default `user`' })
  readonly role?: string;
}
