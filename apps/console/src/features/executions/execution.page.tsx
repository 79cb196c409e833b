import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useSession } from '../../session/session-context';
import { AbsentPage } from '../../ui/absent-page';
import { usePageTitle } from '../../ui/page-title';
import { Status } from '../../ui/status';
import { ExecutionActions } from './execution-actions';
import { ExecutionFacts } from './execution-facts';
import { ExecutionRecord } from './execution-record';
import { causeQuery, executionQuery, type Execution } from './executions.queries';
import { FollowButton } from './follow-button';
import { TimelineView } from './timeline-view';
import { useTranscript } from './use-transcript';

/** What a run did, word by word and tool by tool, while it runs and afterwards. */
export function ExecutionPage() {
  const { id } = useParams({ from: '/executions/$id' });
  const query = useQuery(executionQuery(useSession(), id));
  const { data } = query;
  usePageTitle(data === undefined ? 'Execution' : `${data.entity_name ?? data.execution_type}: ${data.status}`);
  if (data === undefined) return <AbsentPage one="execution" query={query} />;
  return <Opened key={id} execution={data} />;
}

function Opened({ execution }: { readonly execution: Execution }) {
  const queries = useQueryClient();
  const { transcript, connection } = useTranscript(
    execution.id,
    () => void queries.invalidateQueries({ queryKey: ['executions'] }),
  );
  // A proxy that collects responses before it forwards them holds all events back.
  const refetchInterval = connection === 'opening' ? REFRESH_WITHOUT_EVENTS_MS : false;
  useQuery({ ...executionQuery(useSession(), execution.id), refetchInterval });
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-3">
        <h1 className="text-xl font-semibold">{execution.entity_name ?? execution.execution_type}</h1>
        <Status of={execution.status} />
      </div>
      <ExecutionActions execution={execution} />
      {execution.error_message !== null && (
        <div className="flex flex-col gap-2">
          <p role="alert" className="break-words whitespace-pre-wrap text-danger">
            {execution.error_message}
          </p>
          <SameCause execution={execution} />
        </div>
      )}
      <div className="grid gap-6 md:grid-cols-[280px_minmax(0,1fr)]">
        <section aria-label="Facts" className="flex flex-col gap-4">
          <ExecutionFacts execution={execution} />
          <h2 className="font-semibold">Timeline</h2>
          <TimelineView executionId={execution.id} />
        </section>
        <section aria-label="Run" className="flex flex-col gap-3">
          <div className="flex flex-wrap items-center gap-3">
            <output className="text-sm text-quiet">{CONNECTIONS[connection]}</output>
            {(connection === 'opening' || connection === 'live') && <FollowButton transcript={transcript} />}
          </div>
          <ExecutionRecord execution={execution} transcript={transcript} />
        </section>
      </div>
    </div>
  );
}

/** Leads to what failed of the same cause, the newest first. */
function SameCause({ execution }: { readonly execution: Execution }) {
  const { data: cause } = useQuery(causeQuery(useSession(), execution));
  if (cause == null) return null;
  return (
    <Link to="/executions" search={{ cause, order: 'ended' }} className="self-start text-accent underline">
      All failures of this cause
    </Link>
  );
}

const REFRESH_WITHOUT_EVENTS_MS = 5000;

const CONNECTIONS = {
  opening: 'connecting: until events arrive, the status is read every five seconds',
  live: 'live',
  ended: 'ended',
  refused: 'The events cannot be read',
} as const;
