import { EnvironmentService, integrationIdsIn } from '@app/environments';
import {
  checkNewVariables,
  checkRequestedEnvironment,
  hasVariables,
  mayOverride,
  overriddenVariable,
  privilegedPart,
  RunnableSources,
  type EnvironmentLayer,
} from '@app/executions';
import type { Caller, Scope } from '@app/kernel';
import { ProjectLookupService } from '@app/projects';
import { IntegrationService } from '@app/resources';
import { Injectable } from '@nestjs/common';
import { JobTargetService, runnableKindOf, type JobTarget } from './job-target.service.js';
import type { Job, JobFields } from '../jobs/job.types.js';

/**
 * Checks the `execution_environment` of jobs: without `agents:write` it may only add variables. What a job names may
 * change after the job is stored, so the check is repeated when it fires.
 */
@Injectable()
export class JobEnvironmentService {
  constructor(
    private readonly targets: JobTargetService,
    private readonly runnables: RunnableSources,
    private readonly environments: EnvironmentService,
    private readonly projects: ProjectLookupService,
    private readonly integrations: IntegrationService,
  ) {}

  /**
   * Throws `insufficient_scope` that names what the caller may not set. Entities that do not exist yet count as having
   * no variables.
   */
  async check(caller: Caller, job: JobFields): Promise<void> {
    const { execution_environment: environment } = job;
    checkRequestedEnvironment(caller, environment);
    if (mayOverride(caller) || !hasVariables(environment)) return;
    checkNewVariables(environment, await this.layersOf(caller, job, await this.targets.find(caller, job)));
  }

  /** Returns why the execution environment of the job must not be used for this target; undefined if it may. */
  async refusalOf(scope: Scope, job: Job, target: JobTarget): Promise<string | undefined> {
    const { execution_environment: environment } = job;
    if (job.may_override_environment) return undefined;
    const privileged = privilegedPart(environment);
    const reason =
      privileged === undefined && hasVariables(environment)
        ? overriddenVariable(environment, await this.layersOf(scope, job, target))
        : privileged;
    return reason === undefined ? undefined : `Only a key with agents:write may store this job: ${reason}`;
  }

  private async layersOf(scope: Scope, job: JobFields, target: JobTarget): Promise<readonly EnvironmentLayer[]> {
    const { assignment, runnable } = target;
    // The reads are sequential, because an update of a job runs them in its transaction, which has one connection.
    const environment = assignment && (await this.environments.executionEnvironmentOf(scope, assignment.environmentId));
    const layers =
      runnable === undefined
        ? []
        : await this.runnables.environmentLayersOf(scope, { kind: runnableKindOf(job), id: runnable.id });
    const defaults = runnable === undefined ? undefined : await this.projects.runDefaultsOf(scope, runnable);
    const own = environment && [{ name: `the environment ${assignment?.environmentId}`, environment }];
    const inherited = [...(own ?? []), ...(defaults?.environments ?? []), ...layers];
    const ids = integrationIdsIn(inherited.map((layer) => layer.environment));
    return [...inherited, ...(await this.integrations.layersOf(scope, ids))];
  }
}
