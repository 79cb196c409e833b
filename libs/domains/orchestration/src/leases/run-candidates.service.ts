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
import { notFound, type Scope } from '@app/kernel';
import { ProjectLookupService } from '@app/projects';
import { Injectable } from '@nestjs/common';
import type { RunPlace } from '../run.types.js';
import type { SharedReads } from './shared-reads.js';

/**
 * The agents and teams that a worker may choose for an execution without an entity. The worker runs its choice under the
 * same lease, so its runtimes must include that of the agent or the team's leader.
 */
@Injectable()
export class RunCandidatesService {
  constructor(
    private readonly runnables: RunnableSources,
    private readonly environments: EnvironmentService,
    private readonly projects: ProjectLookupService,
  ) {}

  /**
   * Returns the best matches with the prompt first, equally good matches by their last use; none for an execution with
   * an entity. `reads` are shared by the runs of one poll, which have the same place.
   */
  async of(
    scope: Scope,
    { entity_id, prompt }: Pick<ExecutionWithConfig, 'entity_id' | 'prompt'>,
    place: RunPlace,
    reads: SharedReads,
  ): Promise<readonly RunCandidate[]> {
    if (entity_id !== null) return [];
    const allowed = await reads.once('allowed candidates', () => this.allowedIn(scope, place));
    return this.runnables.candidates(scope, {
      ...allowed,
      words: rankingWords(prompt ?? ''),
      limit: MAX_CANDIDATES,
    });
  }

  /** Returns whether a worker may choose the runnable now, whether or not the list of the lease contained it. */
  async includes(scope: Scope, only: RunnableRef, place: RunPlace): Promise<boolean> {
    const allowed = await this.allowedIn(scope, place);
    return (await this.runnables.candidates(scope, { ...allowed, words: '', only, limit: 1 })).length > 0;
  }

  private async allowedIn(
    scope: Scope,
    { environmentId, runtimes }: RunPlace,
  ): Promise<Pick<CandidateQuery, 'environment' | 'excluded' | 'runtimes'>> {
    const found = (await this.environments.summaries(scope, [environmentId])).get(environmentId);
    if (found === undefined) throw notFound('environment_not_found', 'Environment');
    const environment = [found.id, found.name];
    return { environment, runtimes, excluded: await this.projects.excludedFrom(scope, environment) };
  }
}
