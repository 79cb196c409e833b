import { OutString, OutTime } from '@app/http';

export class AgentResponse {
  @OutString()
  readonly id!: string;

  @OutString({ description: 'The same as `id`' })
  readonly uuid!: string;

  @OutString()
  readonly name!: string;

  @OutString({ nullable: true })
  readonly description!: string | null;

  @OutString()
  readonly status!: string;

  @OutString({ nullable: true })
  readonly runtime!: string | null;

  @OutString({ nullable: true })
  readonly model_id!: string | null;

  @OutTime()
  readonly created_at!: string;

  @OutTime()
  readonly updated_at!: string;
}
