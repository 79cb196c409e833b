import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { FailurePanel } from '../../ui/failure-panel';
import { usePageTitle } from '../../ui/page-title';
import { Skeleton } from '../../ui/skeleton';
import { AgentDialog } from './agent-dialog';
import { agentQuery, type Agent } from './agents.queries';
import { DeleteAgentDialog } from './delete-agent-dialog';
import { RunAgent } from './run-agent';

/** One agent: run it, look at what it is, change it. */
export function AgentPage() {
  const { id } = useParams({ from: '/agents/$id' });
  const { data, error, isPending, refetch } = useQuery(agentQuery(useSession(), id));
  usePageTitle(data?.name ?? 'Agent');
  if (isPending) return <Skeleton rows={6} label="Loading the agent" />;
  if (data === undefined) return <FailurePanel error={error} onRetry={() => void refetch()} />;
  return <Opened key={id} agent={data} />;
}

const NEEDS_WRITE = 'This takes the scope agents:write';

function Opened({ agent }: { readonly agent: Agent }) {
  const { can } = useSession();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'change' | 'delete' | null>(null);
  const disabledReason = can('agents:write') ? undefined : NEEDS_WRITE;
  const close = (): void => setOpen(null);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h1 className="text-xl font-semibold break-words">{agent.name}</h1>
        <div className="flex gap-2">
          <Button disabledReason={disabledReason} onClick={() => setOpen('change')}>
            Change
          </Button>
          <Button disabledReason={disabledReason} onClick={() => setOpen('delete')}>
            Delete
          </Button>
        </div>
      </div>
      {agent.description !== null && <p className="break-words">{agent.description}</p>}
      <RunAgent agent={agent} />
      <Link to="/executions" search={{ entity: agent.id }} className="text-accent underline">
        Executions of this agent
      </Link>
      <Definition agent={agent} />
      {open === 'change' && <AgentDialog agent={agent} onClose={close} onSaved={close} />}
      {open === 'delete' && (
        <DeleteAgentDialog agent={agent} onClose={close} onDeleted={() => void navigate({ to: '/agents' })} />
      )}
    </div>
  );
}

function Definition({ agent }: { readonly agent: Agent }) {
  const { model_id, runtime, skills, system_prompt, llm_config, configuration } = agent;
  return (
    <section aria-labelledby="definition" className="flex flex-col gap-2">
      <h2 id="definition" className="font-semibold">
        Definition
      </h2>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        <dt className="text-quiet">Id</dt>
        <dd className="font-mono text-sm break-all">{agent.id}</dd>
        <dt className="text-quiet">Model</dt>
        <dd>{model_id ?? 'the default model'}</dd>
        <dt className="text-quiet">Runtime</dt>
        <dd>{runtime ?? 'default'}</dd>
        <dt className="text-quiet">Skills</dt>
        <dd>{skills.map(({ name }) => name).join(', ') || 'none'}</dd>
        <dt className="text-quiet">System prompt</dt>
        <dd className="break-words whitespace-pre-wrap">{system_prompt ?? 'none'}</dd>
      </dl>
      <Settings label="Settings of the model" value={llm_config} />
      <Settings label="Configuration" value={configuration} />
    </section>
  );
}

function Settings({ label, value }: { readonly label: string; readonly value: Readonly<Record<string, unknown>> }) {
  if (Object.keys(value).length === 0) return null;
  return (
    <details>
      <summary className="text-sm text-quiet">{label}</summary>
      <pre className="overflow-x-auto font-mono text-sm">{JSON.stringify(value, null, 2)}</pre>
    </details>
  );
}
