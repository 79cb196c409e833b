import { OpenResponse, ResponseString } from '@app/http';
import { ApiSchema } from '@nestjs/swagger';
import { ConversationMessage } from '../../executions/messages/dto/conversation-message.response.dto.js';

@OpenResponse()
@ApiSchema({ description: 'A message of a session, with the execution that it comes from' })
export class SessionMessageResponse extends ConversationMessage {
  @ResponseString({
    nullable: true,
    description: 'Id of the execution that the message comes from; null if it is not known',
  })
  readonly execution_id!: string | null;
}
