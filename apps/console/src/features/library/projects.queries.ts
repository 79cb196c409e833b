import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import type { UseMutationResult } from '@tanstack/react-query';
import { useChange } from '../../api/change';
import { keysetQuery } from '../../api/keyset';
import type { Session } from '../../session/session';
import { useSession } from '../../session/session-context';

type Schemas = ControlPlaneComponents['schemas'];
export type Project = Schemas['ProjectResponse'];

/** An agent or a team of a project. */
export interface ProjectMember {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly role: string | null;
  readonly added_at: string;
}

interface Membership {
  readonly role: string | null;
  readonly added_at: string;
}

export function projectAgentsQuery({ controlPlane }: Session, projectId: string) {
  return keysetQuery<ProjectMember>(['/projects', 'agents', projectId], async (query, signal) => {
    const params = { path: { project_id: projectId }, query };
    const answer = await controlPlane.GET('/api/v1/projects/{project_id}/agents', { params, signal });
    return answer.data === undefined
      ? answer
      : { ...answer, data: answer.data.map(({ agent, ...membership }) => memberOf(agent, membership)) };
  });
}

export function projectTeamsQuery({ controlPlane }: Session, projectId: string) {
  return keysetQuery<ProjectMember>(['/projects', 'teams', projectId], async (query, signal) => {
    const params = { path: { project_id: projectId }, query };
    const answer = await controlPlane.GET('/api/v1/projects/{project_id}/teams', { params, signal });
    return answer.data === undefined
      ? answer
      : { ...answer, data: answer.data.map(({ team, ...membership }) => memberOf(team, membership)) };
  });
}

function memberOf(
  { id, name, description }: Pick<ProjectMember, 'id' | 'name' | 'description'>,
  { role, added_at }: Membership,
): ProjectMember {
  return { id, name, description, role, added_at };
}

interface MemberChanges {
  readonly add: UseMutationResult<unknown, Error, string>;
  readonly remove: UseMutationResult<unknown, Error, string>;
}

export function useProjectAgents(projectId: string): MemberChanges {
  const { controlPlane } = useSession();
  const add = useChange(['/projects'], (agent_id: string) => {
    const params = { path: { project_id: projectId } };
    return unwrap(controlPlane.POST('/api/v1/projects/{project_id}/agents', { params, body: { agent_id } }));
  });
  const remove = useChange(['/projects'], (agent_id: string) => {
    const params = { path: { project_id: projectId, agent_id } };
    return unwrap(controlPlane.DELETE('/api/v1/projects/{project_id}/agents/{agent_id}', { params }));
  });
  return { add, remove };
}

export function useProjectTeams(projectId: string): MemberChanges {
  const { controlPlane } = useSession();
  const add = useChange(['/projects'], (team_id: string) => {
    const params = { path: { project_id: projectId } };
    return unwrap(controlPlane.POST('/api/v1/projects/{project_id}/teams', { params, body: { team_id } }));
  });
  const remove = useChange(['/projects'], (team_id: string) => {
    const params = { path: { project_id: projectId, team_id } };
    return unwrap(controlPlane.DELETE('/api/v1/projects/{project_id}/teams/{team_id}', { params }));
  });
  return { add, remove };
}
