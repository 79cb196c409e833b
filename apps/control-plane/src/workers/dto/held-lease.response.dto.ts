import { EXECUTION_STATUSES, EXECUTION_TYPES } from '@app/executions';
import { ResponseInteger, ResponseString, ResponseTime } from '@app/http';

export class HeldLeaseResponse {
  @ResponseString()
  readonly execution_id!: string;

  @ResponseString({ enum: EXECUTION_TYPES, description: 'Kind of what runs' })
  readonly execution_type!: string;

  @ResponseString({ nullable: true })
  readonly entity_name!: string | null;

  @ResponseString({ enum: EXECUTION_STATUSES, description: 'Status of the execution' })
  readonly status!: string;

  @ResponseInteger({ description: 'Attempt of the execution, from 1' })
  readonly attempt!: number;

  @ResponseInteger({ description: 'Attempts after which the execution fails' })
  readonly max_attempts!: number;

  @ResponseTime({ nullable: true, description: 'Beginning of the lease' })
  readonly leased_at!: string | null;

  @ResponseTime({ nullable: true, description: 'Time at which the lease expires unless the worker renews it' })
  readonly expires_at!: string | null;

  @ResponseString({ nullable: true, description: 'Last command to the worker for this execution; null without one' })
  readonly command!: string | null;

  @ResponseTime({ nullable: true, description: 'Time of the command; null without one' })
  readonly command_at!: string | null;
}
