import { ResponseString, ResponseTime } from '@app/http';

export class AgentResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString({ description: 'Same as `id`' })
  readonly uuid!: string;

  @ResponseString({ description: 'Name; not necessarily unique' })
  readonly name!: string;

  @ResponseString({ nullable: true })
  readonly description!: string | null;

  @ResponseString({
    description: 'Status, set by clients: `idle` (default), `running`, `paused`, `completed`, `failed` or `stopped`',
  })
  readonly status!: string;

  @ResponseString({
    nullable: true,
    description: 'Runtime id, `default` or `<vendor>_code`; null for the default runtime',
  })
  readonly runtime!: string | null;

  @ResponseString({ nullable: true })
  readonly model_id!: string | null;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}
