import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useSession } from '../../session/session-context';
import { Facts, type Fact } from '../../ui/facts';
import { Time } from '../../ui/time';
import { timelineQuery, type Execution, type Timeline } from './executions.queries';

/** What ran, what started it and where, each with the way to its page; and when. */
export function ExecutionFacts({ execution }: { readonly execution: Execution }) {
  const { data: timeline } = useQuery(timelineQuery(useSession(), execution.id));
  const { created_at, started_at, completed_at, usage } = execution;
  const tokens = usage['total_tokens'];
  return (
    <Facts
      facts={[
        { label: 'Id', value: <span className="font-mono text-sm break-all">{execution.id}</span> },
        ...(execution.entity_id === null ? [] : [entityOf(execution, execution.entity_id)]),
        ...(timeline === undefined ? [] : originOf(execution, timeline)),
        { label: 'For', value: execution.user_name ?? execution.user_id ?? 'nobody' },
        { label: 'Created', value: <Time at={created_at} none="" /> },
        { label: 'Started', value: <Time at={started_at} none={completed_at === null ? 'not yet' : 'never'} /> },
        { label: 'Ended', value: <Time at={completed_at} none="not yet" /> },
        ...(execution.session_id === null
          ? []
          : [{ label: 'Session', value: <SessionLink id={execution.session_id} /> }]),
        ...(typeof tokens === 'number' || typeof tokens === 'bigint' ? [{ label: 'Tokens', value: tokens }] : []),
        { label: 'Trace', value: execution.trace_id === null ? 'none' : <Trace id={execution.trace_id} /> },
      ]}
    />
  );
}

function entityOf({ execution_type, entity_name }: Execution, id: string): Fact {
  const label = execution_type.charAt(0).toUpperCase() + execution_type.slice(1);
  return { label, value: <PageLink page={`/${execution_type}s/$id`} id={id} text={entity_name ?? id} /> };
}

/** What started it, where it waits for a worker, and what policies said. */
function originOf({ execution_metadata }: Execution, timeline: Timeline): Fact[] {
  const { job_id, parent_execution_id, worker_queue_id, queue_name, policy_decision_id } = timeline;
  const jobName = execution_metadata['job_name'];
  const facts = [
    { label: 'Job', page: '/jobs/$id', id: job_id, text: typeof jobName === 'string' ? jobName : job_id },
    { label: 'Started by', page: '/executions/$id', id: parent_execution_id, text: 'another execution' },
    // The page of a queue that was deleted is not there.
    { label: 'Queue', page: '/queues/$id', id: queue_name === null ? null : worker_queue_id, text: queue_name },
    { label: 'Policies', page: '/decisions/$id', id: policy_decision_id, text: 'their decision' },
  ] as const;
  return facts.flatMap(({ label, page, id, text }) =>
    id === null ? [] : [{ label, value: <PageLink page={page} id={id} text={text ?? id} /> }],
  );
}

/** Leads to the executions of the session. */
function SessionLink({ id }: { readonly id: string }) {
  return (
    <Link to="/executions" search={{ session: id }} className="break-all text-accent underline">
      {id}
    </Link>
  );
}

function Trace({ id }: { readonly id: string }) {
  return (
    <span className="font-mono text-sm break-all">
      <PageLink page="/traces/$id" id={id} text={id} />
    </span>
  );
}

interface PageLinkProps {
  readonly page: string;
  readonly id: string;
  readonly text: string;
}

function PageLink({ page, id, text }: PageLinkProps) {
  return (
    <Link to={page} params={{ id }} className="break-words text-accent underline">
      {text}
    </Link>
  );
}
