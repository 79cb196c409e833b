import type { Execution } from '@app/executions';
import type { Caller } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { agentNotFound } from './agent.errors.js';
import { AgentService } from './agent.service.js';
import type { ExecuteAgent } from './agent.types.js';
import { RequestedRunService } from './requested-run.service.js';

@Injectable()
export class AgentRunService {
  constructor(
    private readonly agents: AgentService,
    private readonly runs: RequestedRunService,
  ) {}

  async execute(caller: Caller, id: string, request: ExecuteAgent): Promise<Execution> {
    const agent = await this.agents.findRunnable(caller, id);
    if (agent === undefined) throw agentNotFound();
    const execution = await this.runs.start(caller, { type: 'agent', ...agent }, request);
    if (execution.status !== 'failed') await this.agents.noteRun(caller, agent);
    return execution;
  }
}
