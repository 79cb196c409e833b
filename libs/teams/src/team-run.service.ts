import { QueueRouter } from '@app/environments';
import { DeliveryService, ExecutionService, type Execution } from '@app/executions';
import type { Caller } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { teamNotFound } from './team.errors.js';
import { TeamService } from './team.service.js';
import type { ExecuteTeam } from './team.types.js';

@Injectable()
export class TeamRunService {
  constructor(
    private readonly teams: TeamService,
    private readonly router: QueueRouter,
    private readonly executions: ExecutionService,
    private readonly deliveries: DeliveryService,
  ) {}

  /** Starts an execution of the team, for the person the caller's key acts for, on the queue wanted or else chosen. */
  async execute(caller: Caller, id: string, request: ExecuteTeam): Promise<Execution> {
    const team = await this.teams.findRunnable(caller, id);
    if (team === undefined) throw teamNotFound();
    const wanted = { queue: request.worker_queue_id ?? null, environmentIds: team.environment_ids };
    const place = await this.router.route(caller, wanted, (queueIds) => this.deliveries.waitingIn(queueIds));
    return this.executions.start(caller, {
      place: { workerQueueId: place.id, environmentId: place.environment_id },
      executionType: 'team',
      entityId: team.id,
      entityName: team.name,
      prompt: request.prompt,
      systemPrompt: request.system_prompt ?? null,
      user: caller,
      triggerType: 'api',
      parentExecutionId: request.parent_execution_id ?? null,
      executionMetadata: request.user_metadata === undefined ? {} : { user_metadata: request.user_metadata },
      executionEnvironment: request.execution_environment ?? {},
    });
  }
}
