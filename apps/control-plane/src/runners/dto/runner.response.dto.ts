import {
  ResponseInteger,
  ResponseList,
  ResponseObject,
  ResponseString,
  ResponseStringList,
  ResponseTime,
} from '@app/http';
import type { JsonObject } from '@app/kernel';
import { WorkerResponse } from '../../workers/dto/worker.response.dto.js';

export class RunnerResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({ description: 'Name, unique in the organization' })
  readonly name!: string;

  @ResponseString({ nullable: true })
  readonly description!: string | null;

  @ResponseObject({ description: 'Labels: values by name' })
  readonly labels!: JsonObject;

  @ResponseObject({ description: 'Free-form configuration' })
  readonly configuration!: JsonObject;

  @ResponseStringList()
  readonly tags!: readonly string[];

  @ResponseObject()
  readonly metadata!: JsonObject;

  @ResponseInteger({ description: 'Number of connected workers: neither `disconnected` nor `stale`' })
  readonly active_workers!: number;

  @ResponseTime({
    nullable: true,
    description: 'Time of the last heartbeat of any of its workers; null before the first',
  })
  readonly last_seen_at!: string | null;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}

export class RunnerDetailsResponse extends RunnerResponse {
  @ResponseList(WorkerResponse, {
    description: 'The newest workers of the runner, at most 100; `GET /api/v1/workers?runner_name=` lists all',
  })
  readonly workers!: readonly WorkerResponse[];
}
