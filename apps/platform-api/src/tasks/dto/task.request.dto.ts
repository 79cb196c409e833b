import { ObjectField, StringField } from '@app/http';
import type { JsonObject } from '@app/kernel';

export class CreateTaskRequest {
  @StringField({ required: true, description: 'What is to be done', example: 'Write the weekly report' })
  readonly name!: string;

  @StringField({ required: true, description: 'The agent that does it' })
  readonly agent_id!: string;

  @ObjectField({ empty: 'keep', default: {}, description: 'What the agent should know', example: { week: 46 } })
  readonly parameters?: JsonObject;
}
