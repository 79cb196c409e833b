import { conflict, notFound, type DomainError } from '@app/kernel';

export const agentNotFound = (): DomainError => notFound('agent_not_found', 'Agent');

/** `places` lists what refers to the agent. */
export const agentInUse = (name: string, places: string): DomainError =>
  conflict('agent_in_use', `The agent ${name} is used by: ${places}; choose another agent there first`);
