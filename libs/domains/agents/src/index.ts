export { AgentsModule } from './agents.module.js';
export { agentNotFound } from './agent.errors.js';
export { AgentService } from './agent.service.js';
export { AssembledAgent, modelIn } from './agent.source.js';
export {
  AGENT_STATUSES,
  type Agent,
  type AgentFilter,
  type AgentStatus,
  type CreateAgent,
  type RosterMember,
  type TeamRoster,
  type UpdateAgent,
} from './agent.types.js';
