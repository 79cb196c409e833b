import { ObjectField, StringField } from '@app/http';
import type { JsonObject } from '@app/kernel';

export class CreateTaskRequest {
  @StringField({ required: true, description: 'Task, as a prompt for the agent', example: 'Write the weekly report' })
  readonly name!: string;

  @StringField({ required: true, description: 'Id of the agent that runs the task' })
  readonly agent_id!: string;

  @ObjectField({
    empty: 'keep',
    default: {},
    description: 'Free-form parameters, given to the agent. Default `{}`',
    example: { week: 46 },
  })
  readonly parameters?: JsonObject;
}
