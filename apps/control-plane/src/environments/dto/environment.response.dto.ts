import {
  ResponseInteger,
  ResponseList,
  ResponseObject,
  ResponseString,
  ResponseStringList,
  ResponseTime,
} from '@app/http';
import { ENVIRONMENT_STATUSES } from '@app/environments';
import type { JsonObject } from '@app/kernel';
import { SkillSummaryResponse } from '../../skills/dto/skill.response.dto.js';

export class EnvironmentResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString()
  readonly organization_id!: string;

  @ResponseString({ description: 'Name, unique in the organization' })
  readonly name!: string;

  @ResponseString()
  readonly display_name!: string;

  @ResponseString({ nullable: true })
  readonly description!: string | null;

  @ResponseStringList()
  readonly tags!: readonly string[];

  @ResponseObject({ description: 'Free-form settings' })
  readonly settings!: JsonObject;

  @ResponseObject()
  readonly execution_environment!: JsonObject;

  @ResponseString({
    enum: ENVIRONMENT_STATUSES,
    description: 'Status, set by clients: `active` (default), `inactive`, `provisioning`, `ready` or `error`',
  })
  readonly status!: string;

  @ResponseInteger({ description: 'Number of connected workers: neither `disconnected` nor `stale`' })
  readonly active_workers!: number;

  @ResponseInteger({ description: 'Number of connected workers with status `idle`' })
  readonly idle_workers!: number;

  @ResponseInteger({ description: 'Number of connected workers with status `busy`' })
  readonly busy_workers!: number;

  @ResponseStringList({ description: 'Ids of the skills of the environment' })
  readonly skill_ids!: readonly string[];

  @ResponseList(SkillSummaryResponse, { description: 'Skills of the environment' })
  readonly skills!: readonly SkillSummaryResponse[];

  @ResponseString({
    nullable: true,
    secret: true,
    description: 'Token with which a worker registers in this environment; null for API keys without `runners:manage`',
  })
  readonly worker_token!: string | null;

  @ResponseTime({ nullable: true, description: 'Time at which the set-up finished; null before its end' })
  readonly provisioned_at!: string | null;

  @ResponseString({ nullable: true })
  readonly error_message!: string | null;

  @ResponseString({ nullable: true })
  readonly created_by!: string | null;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}
