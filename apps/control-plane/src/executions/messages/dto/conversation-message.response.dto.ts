import { OpenResponse, ResponseAny, ResponseBoolean, ResponseList, ResponseString } from '@app/http';
import { ApiSchema } from '@nestjs/swagger';

@OpenResponse()
export class MessageToolCall {
  @ResponseString({
    optional: true,
    description: 'Id of the call. The message with its result has it as `tool_call_id`',
  })
  readonly id?: string;

  @ResponseString({ optional: true, description: 'Name of the tool' })
  readonly name?: string;

  @ResponseAny({ optional: true, nullable: true, description: 'Arguments of the call, usually an object' })
  readonly arguments?: unknown;
}

@OpenResponse()
@ApiSchema({
  description:
    'A message, exactly as its worker stored it or as it was sent. The fields and their types are those that the platform and its workers write; nothing is checked when another worker stores a message',
})
export class ConversationMessage {
  @ResponseString({ optional: true, description: 'Id of the message, the same in its events' })
  readonly message_id?: string;

  @ResponseString({
    optional: true,
    example: 'assistant',
    description:
      'Role of the author: `user`, `assistant`, `tool` for the result of a call, or another one that a client chose',
  })
  readonly role?: string;

  @ResponseString({ optional: true, description: 'Text; of a `tool` message, the output of the call or its error' })
  readonly content?: string;

  @ResponseString({ optional: true, description: 'Time of the message, RFC 3339' })
  readonly timestamp?: string;

  @ResponseList(MessageToolCall, {
    optional: true,
    description: 'Calls of tools by an assistant; absent without calls',
  })
  readonly tool_calls?: readonly MessageToolCall[];

  @ResponseString({ optional: true, description: 'Id of the call of which a `tool` message is the result' })
  readonly tool_call_id?: string;

  @ResponseString({ optional: true, description: 'Name of the tool of which a `tool` message is the result' })
  readonly tool_name?: string;

  @ResponseString({ optional: true, description: 'Outcome of the call in a `tool` message: `success` or `failed`' })
  readonly status?: string;

  @ResponseBoolean({
    optional: true,
    description: 'True if the message was interrupted: its attempt was cancelled or failed',
  })
  readonly partial?: boolean;

  @ResponseBoolean({ optional: true, description: 'True if the message ends with a question to the user' })
  readonly input_required?: boolean;

  @ResponseString({
    optional: true,
    nullable: true,
    description: 'Id of the user who sent the message; null if unknown',
  })
  readonly user_id?: string | null;

  @ResponseString({ optional: true, nullable: true, description: 'Name of this user; null if unknown' })
  readonly user_name?: string | null;

  @ResponseString({
    optional: true,
    nullable: true,
    description: 'Address of the avatar of this user; null without one',
  })
  readonly user_avatar?: string | null;

  @ResponseString({ optional: true, description: '`member` for messages of the members of a team' })
  readonly source?: string;

  @ResponseString({ optional: true, description: 'Agent id of this member' })
  readonly member_id?: string;

  @ResponseString({ optional: true, nullable: true, description: 'Name of this member' })
  readonly member_name?: string | null;

  @ResponseString({ optional: true, description: 'Name of the step of a workflow that the message belongs to' })
  readonly step?: string;
}
