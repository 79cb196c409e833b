import { QueueRouter } from '@app/environments';
import { checkBroughtEnvironment, DeliveryService, ExecutionService, type Execution } from '@app/executions';
import type { Caller } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { ExecuteAgent, Runnable } from './agent.types.js';

/** A run somebody asks for: of an agent, or of a team of agents. */
@Injectable()
export class RequestedRunService {
  constructor(
    private readonly router: QueueRouter,
    private readonly executions: ExecutionService,
    private readonly deliveries: DeliveryService,
  ) {}

  /**
   * Starts an execution of it, for the person the caller's key acts for, on the queue wanted or else chosen.
   * Forbidden to a key that brings commands and may not write agents.
   */
  async start(caller: Caller, runnable: Runnable, request: ExecuteAgent): Promise<Execution> {
    checkBroughtEnvironment(caller, request.execution_environment);
    const wanted = { queue: request.worker_queue_id ?? null, environmentIds: runnable.environment_ids };
    const place = await this.router.route(caller, wanted, (queueIds) => this.deliveries.waitingIn(queueIds));
    return this.executions.start(caller, {
      place: { workerQueueId: place.id, environmentId: place.environment_id },
      executionType: runnable.type,
      entityId: runnable.id,
      entityName: runnable.name,
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
