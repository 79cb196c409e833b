import {
  checkNewVariables,
  checkRequestedEnvironment,
  hasVariables,
  mayOverride,
  overriddenVariable,
  privilegedPart,
  type EnvironmentLayer,
} from '@app/executions';
import type { Caller, Scope } from '@app/kernel';
import { RunEnvironmentsService } from '@app/orchestration';
import { Injectable } from '@nestjs/common';
import { JobTargetService, type JobTarget } from './job-target.service.js';
import type { Job, JobFields } from '../jobs/job.types.js';

/**
 * Checks the `execution_environment` of jobs: without `agents:write` it may only add variables. What a job names may
 * change after the job is stored, so the check is repeated when it fires.
 */
@Injectable()
export class JobEnvironmentService {
  constructor(
    private readonly targets: JobTargetService,
    private readonly environments: RunEnvironmentsService,
  ) {}

  /**
   * Throws `insufficient_scope` that names what the caller may not set. Entities that do not exist yet count as having
   * no variables.
   */
  async check(caller: Caller, job: JobFields): Promise<void> {
    const { execution_environment: environment } = job;
    checkRequestedEnvironment(caller, environment);
    if (mayOverride(caller) || !hasVariables(environment)) return;
    checkNewVariables(environment, await this.layersOf(caller, await this.targets.find(caller, job)));
  }

  /** Returns why the execution environment of the job must not be used for this target; undefined if it may. */
  async refusalOf(scope: Scope, job: Job, target: JobTarget): Promise<string | undefined> {
    const { execution_environment: environment } = job;
    if (job.may_override_environment) return undefined;
    const privileged = privilegedPart(environment);
    const reason =
      privileged === undefined && hasVariables(environment)
        ? overriddenVariable(environment, await this.layersOf(scope, target))
        : privileged;
    return reason === undefined ? undefined : `Only a key with agents:write may store this job: ${reason}`;
  }

  private layersOf(scope: Scope, { assignment, runnable }: JobTarget): Promise<readonly EnvironmentLayer[]> {
    return this.environments.layersOf(scope, runnable, assignment?.environmentId);
  }
}
