import { EXECUTION_STATUSES, EXECUTION_TYPES, type ExecutionStatus, type ExecutionType } from '@app/executions';
import { ResponseInteger, ResponseString, ResponseStringList, ResponseTime } from '@app/http';

export class UserSessionResponse {
  @ResponseString({ description: 'Id of the session in these routes' })
  readonly id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({ description: 'Id that starts name to continue the session, unique for its user' })
  readonly session_id!: string;

  @ResponseString({ description: 'Name: that of the last change, otherwise the beginning of the first prompt' })
  readonly name!: string;

  @ResponseString({ description: 'Id of the user to whom the session belongs' })
  readonly user_id!: string;

  @ResponseString({ nullable: true })
  readonly user_name!: string | null;

  @ResponseString({ enum: EXECUTION_TYPES, nullable: true, description: 'Kind of what ran last' })
  readonly execution_type!: ExecutionType | null;

  @ResponseString({ nullable: true, description: 'Id of what ran last' })
  readonly entity_id!: string | null;

  @ResponseString({ nullable: true, description: 'Name of what ran last, at its start' })
  readonly entity_name!: string | null;

  @ResponseStringList({ description: 'Ids of the projects of what ran last' })
  readonly project_ids!: readonly string[];

  @ResponseInteger({ description: 'Number of executions that joined the session, including deleted ones' })
  readonly turns!: number;

  @ResponseString({
    nullable: true,
    description: 'First 200 characters of the newest message of the last 10 executions; null without one',
  })
  readonly last_message_preview!: string | null;

  @ResponseString({
    nullable: true,
    description: 'First execution of the session that has not ended; null without one',
  })
  readonly running_execution_id!: string | null;

  @ResponseString({ enum: EXECUTION_STATUSES, nullable: true, description: 'Status of that execution' })
  readonly running_execution_status!: ExecutionStatus | null;

  @ResponseString({ nullable: true, description: 'Id of the session with whose messages it began; null without one' })
  readonly forked_from_id!: string | null;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;

  @ResponseTime({ description: 'Time at which the last execution of the session started or ended' })
  readonly last_activity_at!: string;
}
