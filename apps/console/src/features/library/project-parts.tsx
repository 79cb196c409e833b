import { useList } from '../../api/list';
import { AssignedThings } from '../../resource/assigned-things';
import { agentChoices, teamChoices } from '../../resource/choices';
import type { Column } from '../../resource/resource';
import { useSession } from '../../session/session-context';
import { Time } from '../../ui/time';
import {
  projectAgentsQuery,
  projectTeamsQuery,
  useProjectAgents,
  useProjectTeams,
  type Project,
  type ProjectMember,
} from './projects.queries';

const COLUMNS: readonly Column<ProjectMember>[] = [
  { label: 'Description', cell: ({ description }) => description },
  { label: 'Role', cell: ({ role }) => role },
  { label: 'Added', cell: ({ added_at }) => <Time at={added_at} none="" /> },
];

/** The agents and teams of a project. */
export function ProjectParts({ row: { id } }: { readonly row: Project }) {
  const session = useSession();
  return (
    <>
      <AssignedThings
        title="Agents"
        one="agent"
        many="agents"
        path="/agents"
        empty="It has no agent yet."
        list={useList(projectAgentsQuery(session, id))}
        columns={COLUMNS}
        choices={agentChoices}
        {...useProjectAgents(id)}
      />
      <AssignedThings
        title="Teams"
        one="team"
        many="teams"
        path="/teams"
        empty="It has no team yet."
        list={useList(projectTeamsQuery(session, id))}
        columns={COLUMNS}
        choices={teamChoices}
        {...useProjectTeams(id)}
      />
    </>
  );
}
