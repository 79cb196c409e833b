import { EnvironmentService } from '@app/environments';
import {
  MAX_CANDIDATES,
  rankingWords,
  RunnableSources,
  type CandidateQuery,
  type ExecutionWithConfig,
  type RunCandidate,
  type RunnableRef,
} from '@app/executions';
import type { Scope } from '@app/kernel';
import { ProjectLookupService } from '@app/projects';
import { Injectable } from '@nestjs/common';

/** The agents and teams that workers of an environment may choose for an execution without an entity. */
@Injectable()
export class RunCandidates {
  constructor(
    private readonly runnables: RunnableSources,
    private readonly environments: EnvironmentService,
    private readonly projects: ProjectLookupService,
  ) {}

  /** Returns the best matches with the prompt first, then the most recently used; none for an execution with an entity. */
  async of(
    scope: Scope,
    { entity_id, prompt }: Pick<ExecutionWithConfig, 'entity_id' | 'prompt'>,
    environmentId: string,
  ): Promise<readonly RunCandidate[]> {
    if (entity_id !== null) return [];
    const allowed = await this.allowedIn(scope, environmentId);
    return this.runnables.candidates(scope, {
      ...allowed,
      words: rankingWords(prompt ?? ''),
      limit: MAX_CANDIDATES,
    });
  }

  /** Returns whether a worker may choose the runnable now. The list of the lease does not matter. */
  async includes(scope: Scope, only: RunnableRef, environmentId: string): Promise<boolean> {
    const allowed = await this.allowedIn(scope, environmentId);
    return (await this.runnables.candidates(scope, { ...allowed, words: '', only, limit: 1 })).length > 0;
  }

  private async allowedIn(
    scope: Scope,
    environmentId: string,
  ): Promise<Pick<CandidateQuery, 'environment' | 'barred'>> {
    const { id, name } = await this.environments.read(scope, environmentId);
    const environment = [id, name];
    return { environment, barred: await this.projects.barredFrom(scope, environment) };
  }
}
