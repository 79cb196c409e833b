import {
  ResponseBoolean,
  ResponseInteger,
  ResponseNumber,
  ResponseObject,
  ResponseString,
  ResponseTime,
} from '@app/http';
import type { JsonObject } from '@app/kernel';

export class ToolCallResponse {
  @ResponseString({ description: 'Id of the call in the events of the execution' })
  readonly tool_execution_id!: string;

  @ResponseString({ nullable: true, description: 'Name of the tool' })
  readonly tool_name!: string | null;

  @ResponseString({ nullable: true, description: 'Id of the message that contains the call; null without one' })
  readonly message_id!: string | null;

  @ResponseString({ nullable: true, description: 'Name of the team member that made the call; null for other calls' })
  readonly member_name!: string | null;

  @ResponseInteger({ nullable: true, description: 'Attempt of the execution, from 1' })
  readonly attempt!: number | null;

  @ResponseObject({
    nullable: true,
    description: 'Arguments. Arguments that were cut, or are not an object, are the `value` of an object',
  })
  readonly arguments!: JsonObject | null;

  @ResponseString({ nullable: true, description: 'Output: text, or JSON' })
  readonly output!: string | null;

  @ResponseString({ nullable: true, description: 'Error message of the tool; null without one' })
  readonly error!: string | null;

  @ResponseString({ nullable: true, example: 'success', description: 'Status that the worker reported' })
  readonly status!: string | null;

  @ResponseTime({ nullable: true })
  readonly started_at!: string | null;

  @ResponseTime()
  readonly completed_at!: string;

  @ResponseNumber({ nullable: true, description: 'Duration in milliseconds' })
  readonly duration_ms!: number | null;

  @ResponseBoolean({ description: 'Whether arguments, output or error were cut to 64 KiB' })
  readonly truncated!: boolean;
}
