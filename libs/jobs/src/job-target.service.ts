import { AgentService, type RunnableAgent } from '@app/agents';
import { QueueRouter, type QueueWanted } from '@app/environments';
import { DeliveryService, EXECUTION_TYPES, type ExecutionPlace, type ExecutionType } from '@app/executions';
import { DomainError, withoutUndefined, type Scope } from '@app/kernel';
import { TeamService, type RunnableTeam } from '@app/teams';
import { Injectable } from '@nestjs/common';
import type { StoredJob } from './job.types.js';

/** What a job runs, where that exists. Agents and teams are what the platform can find: any other kind is neither. */
interface JobEntity {
  readonly agent?: RunnableAgent;
  readonly team?: RunnableTeam;
}

/** Where a firing goes, as things are at this moment. */
export interface JobTarget extends JobEntity {
  readonly place: ExecutionPlace | undefined;
  /** What the job names and nobody can find; empty exactly when there is a place. */
  readonly missing: readonly string[];
}

/** Finds what a job names: its entity, and the worker queue by the rules of its executor type. */
@Injectable()
export class JobTargetService {
  constructor(
    private readonly agents: AgentService,
    private readonly teams: TeamService,
    private readonly router: QueueRouter,
    private readonly deliveries: DeliveryService,
  ) {}

  async find(scope: Scope, job: StoredJob): Promise<JobTarget> {
    const type = executionTypeOf(job);
    const entity = await this.findEntity(scope, job);
    const found = entity.agent ?? entity.team;
    const entityMissing = job.entity_id !== null && found === undefined ? [`There is no ${type} ${job.entity_id}`] : [];
    // The environments an unknown entity belongs to are unknown, too.
    if (job.executor_type === 'auto' && entityMissing.length > 0) {
      return { place: undefined, missing: entityMissing };
    }
    const queue = await this.findQueue(scope, queueWanted(job, found?.environment_ids ?? []));
    const missing = [...entityMissing, ...('missing' in queue ? [queue.missing] : [])];
    const place = 'workerQueueId' in queue && missing.length === 0 ? queue : undefined;
    return { ...entity, place, missing };
  }

  private async findEntity(scope: Scope, job: StoredJob): Promise<JobEntity> {
    const type = executionTypeOf(job);
    if (job.entity_id === null || type === 'workflow') return {};
    if (type === 'team') return withoutUndefined({ team: await this.teams.findRunnable(scope, job.entity_id) });
    return withoutUndefined({ agent: await this.agents.findRunnable(scope, job.entity_id) });
  }

  private async findQueue(scope: Scope, wanted: QueueWanted): Promise<ExecutionPlace | { missing: string }> {
    try {
      const queue = await this.router.route(scope, wanted, (queueIds) => this.deliveries.waitingIn(queueIds));
      return { workerQueueId: queue.id, environmentId: queue.environment_id };
    } catch (error) {
      if (error instanceof DomainError && (error.kind === 'not_found' || error.kind === 'conflict')) {
        return { missing: error.message };
      }
      throw error;
    }
  }
}

/** The planning mode says what is run; a job that plans on the fly may still name an entity to do it. */
export function executionTypeOf(job: Pick<StoredJob, 'planning_mode' | 'entity_type'>): ExecutionType {
  const named = job.planning_mode === 'on_the_fly' ? job.entity_type : job.planning_mode.replace('predefined_', '');
  return EXECUTION_TYPES.find((type) => type === named) ?? 'agent';
}

function queueWanted(job: StoredJob, environmentIds: readonly string[]): QueueWanted {
  const { executor_type, worker_queue_name: queue, environment_name: environment } = job;
  if (executor_type === 'specific_queue') return { queue, environment };
  if (executor_type === 'environment') return { environment };
  return { environmentIds };
}
