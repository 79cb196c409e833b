export { AgentsModule } from './agents.module.js';
export { AgentRunService } from './agent-run.service.js';
export { AgentService } from './agent.service.js';
export { RequestedRunService } from './requested-run.service.js';
export {
  AGENT_STATUSES,
  type Agent,
  type AgentFilter,
  type AgentStatus,
  type CreateAgent,
  type ExecuteAgent,
  type RunnableAgent,
  type UpdateAgent,
} from './agent.types.js';
