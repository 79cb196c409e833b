import { ResponseObject, ResponseString } from '../fields/response-fields.js';

export class HealthResponse {
  @ResponseString({
    enum: ['ok', 'unavailable'],
    description: '`ok` if the process can serve requests, otherwise `unavailable`',
  })
  readonly status!: string;

  @ResponseString({ description: 'Version of the product that the process runs' })
  readonly version!: string;

  @ResponseObject({
    description:
      'State of each dependency, `up` or `down`: `postgres`, `writes` (it accepts writes), `redis`, `queue` (its store ' +
      'accepts messages) and `migrations` (the schema has all migrations of this process); empty for the liveness check',
  })
  readonly checks!: Record<string, string>;
}
