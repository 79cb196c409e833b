import { conflict, invalid, notFound, type DomainError, type Fault } from '@app/kernel';

export const teamNotFound = (): DomainError => notFound('team_not_found', 'Team');

/** `known` are the ids that name an agent. */
export const unknownMembers = (ids: readonly string[], known: ReadonlySet<string>): DomainError =>
  invalid(
    ids.flatMap((id, index): Fault[] => {
      if (known.has(id)) return [];
      const path = ['configuration', 'member_ids', String(index)];
      return [{ path, msg: `There is no agent ${id}`, type: 'value_error' }];
    }),
  );

export const agentInUse = (teams: readonly { readonly id: string; readonly name: string }[]): DomainError => {
  const named = teams.map(({ id, name }) => `the team ${name} (${id})`).join(', ');
  return conflict('agent_in_use', `The agent is in member_ids of ${named}; remove it there first`);
};
