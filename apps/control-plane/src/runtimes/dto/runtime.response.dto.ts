import { ResponseString } from '@app/http';

export class RuntimeResponse {
  @ResponseString({ description: 'Runtime id, as used by agents, teams and models' })
  readonly id!: string;

  @ResponseString({ description: 'Display name' })
  readonly name!: string;

  @ResponseString({ description: 'Description of the runtime' })
  readonly description!: string;
}
