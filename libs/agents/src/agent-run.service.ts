import { QueueRouter } from '@app/environments';
import { DeliveryService, ExecutionService, type Execution } from '@app/executions';
import type { Caller } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { agentNotFound } from './agent.errors.js';
import { AgentService } from './agent.service.js';
import type { ExecuteAgent } from './agent.types.js';

@Injectable()
export class AgentRunService {
  constructor(
    private readonly agents: AgentService,
    private readonly router: QueueRouter,
    private readonly executions: ExecutionService,
    private readonly deliveries: DeliveryService,
  ) {}

  /** Starts an execution of the agent, for the person the caller's key acts for, on the queue wanted or else chosen. */
  async execute(caller: Caller, id: string, request: ExecuteAgent): Promise<Execution> {
    const agent = await this.agents.findRunnable(caller, id);
    if (agent === undefined) throw agentNotFound();
    const wanted = { queue: request.worker_queue_id ?? null, environmentIds: agent.environment_ids };
    const place = await this.router.route(caller, wanted, (queueIds) => this.deliveries.waitingIn(queueIds));
    const execution = await this.executions.start(caller, {
      place: { workerQueueId: place.id, environmentId: place.environment_id },
      executionType: 'agent',
      entityId: agent.id,
      entityName: agent.name,
      prompt: request.prompt,
      systemPrompt: request.system_prompt ?? null,
      user: caller,
      triggerType: 'api',
      parentExecutionId: request.parent_execution_id ?? null,
      executionMetadata: request.user_metadata === undefined ? {} : { user_metadata: request.user_metadata },
      executionEnvironment: request.execution_environment ?? {},
    });
    if (execution.status !== 'failed') await this.agents.noteRun(caller, agent);
    return execution;
  }
}
