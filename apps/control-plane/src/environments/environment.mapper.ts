import type { Environment } from '@app/environments';
import { ENVIRONMENT_SECRETS, grants, presentSecrets, toWireTime, type Caller } from '@app/kernel';
import type { SkillsOfEntity } from '@app/skills';
import { toSkillSummaryResponse } from '../skills/skill.mapper.js';
import type { EnvironmentResponse } from './dto/environment.response.dto.js';

/** Contains the worker token and secret values only for callers who may write environments and start workers. */
export function toEnvironmentResponse(
  environment: Environment,
  skills: SkillsOfEntity,
  caller: Caller,
): EnvironmentResponse {
  const mayWrite = grants(caller, 'runners:manage');
  return {
    id: environment.id,
    organization_id: environment.organization_id,
    name: environment.name,
    display_name: environment.display_name,
    description: environment.description,
    tags: environment.tags,
    settings: environment.settings,
    execution_environment: presentSecrets(ENVIRONMENT_SECRETS, environment.execution_environment, mayWrite),
    status: environment.status,
    active_workers: environment.active_workers,
    idle_workers: environment.idle_workers,
    busy_workers: environment.busy_workers,
    skill_ids: skills.map(({ id }) => id),
    skills: skills.map(toSkillSummaryResponse),
    worker_token: mayWrite ? environment.worker_token : null,
    provisioned_at: toWireTime(environment.provisioned_at),
    error_message: environment.error_message,
    created_by: environment.created_by,
    created_at: toWireTime(environment.created_at),
    updated_at: toWireTime(environment.updated_at),
  };
}
