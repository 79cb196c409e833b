import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { FailurePanel } from '../../ui/failure-panel';
import { usePageTitle } from '../../ui/page-title';
import { Skeleton } from '../../ui/skeleton';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { AgentDialog } from './agent-dialog';
import { agentsQuery, type Agent } from './agents.queries';

/** The agents of the organization. */
export function AgentsPage() {
  usePageTitle('Agents');
  const { can, facts } = useSession();
  const navigate = useNavigate();
  const [isNew, setNew] = useState(false);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h1 className="text-xl font-semibold">Agents</h1>
        <Button
          kind="primary"
          disabledReason={can('agents:write') ? undefined : 'This takes the scope agents:write'}
          onClick={() => setNew(true)}
        >
          New agent
        </Button>
      </div>
      {can('agents:read') ? (
        <AgentList />
      ) : (
        <p>This takes the scope agents:read: your key has {facts.scopes.join(', ') || 'no scopes'}.</p>
      )}
      {isNew && (
        <AgentDialog
          onClose={() => setNew(false)}
          onSaved={({ id }) => void navigate({ to: '/agents/$id', params: { id } })}
        />
      )}
    </div>
  );
}

const COLUMNS = ['Name', 'Description', 'Model', 'Last active', 'Created'];

function AgentList() {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    agentsQuery(useSession()),
  );
  if (isPending) return <Skeleton rows={6} label="Loading the agents" />;
  if (data === undefined) return <FailurePanel error={error} onRetry={() => void refetch()} />;
  const agents = data.pages.flatMap(({ rows }) => rows);
  if (agents.length === 0) {
    return <p>There is no agent yet. An agent is a system prompt with a model and tools; make one from an example.</p>;
  }
  return (
    <>
      {error !== null && <FailurePanel error={error} onRetry={() => void refetch()} />}
      <Table columns={COLUMNS}>
        {agents.map((agent) => (
          <Row key={agent.id} agent={agent} />
        ))}
      </Table>
      {hasNextPage && (
        <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Older agents
        </Button>
      )}
    </>
  );
}

function Row({ agent: { id, name, description, model_id, last_active_at, created_at } }: { readonly agent: Agent }) {
  return (
    <tr className="border-b border-hairline align-top last:border-0">
      <th scope="row" className="px-3 py-2 font-semibold">
        <Link to="/agents/$id" params={{ id }} className="break-words text-accent underline">
          {name}
        </Link>
      </th>
      <td className="px-3 py-2 break-words">{description}</td>
      <td className="px-3 py-2">{model_id ?? 'default'}</td>
      <td className="px-3 py-2 whitespace-nowrap">
        <Time at={last_active_at} none="never" />
      </td>
      <td className="px-3 py-2 whitespace-nowrap">
        <Time at={created_at} none="" />
      </td>
    </tr>
  );
}
