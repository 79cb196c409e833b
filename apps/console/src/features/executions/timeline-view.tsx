import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../session/session-context';
import { FailurePanel } from '../../ui/failure-panel';
import { Skeleton } from '../../ui/skeleton';
import { Time } from '../../ui/time';
import { timelineQuery, type Timeline } from './executions.queries';

type Transition = Timeline['transitions'][number];

/** What happened to the execution, and who did it. */
export function TimelineView({ executionId }: { readonly executionId: string }) {
  const { data, error, isPending, refetch } = useQuery(timelineQuery(useSession(), executionId));
  if (isPending) return <Skeleton rows={4} label="Loading the timeline" />;
  if (data === undefined) return <FailurePanel error={error} onRetry={() => void refetch()} />;
  return (
    <ol className="flex flex-col gap-2">
      {data.transitions.map((transition) => (
        <li key={`${transition.at} ${transition.to}`} className="border-l-2 border-hairline pl-3">
          <p>{transition.to.replaceAll('_', ' ')}</p>
          <p className="text-sm text-quiet">
            <Time at={transition.at} none="" /> · {actorOf(transition)}
            {transition.attempt > 1 && ` · attempt ${transition.attempt}`}
          </p>
          {transition.reason !== null && <p className="text-sm text-quiet">{transition.reason}</p>}
        </li>
      ))}
    </ol>
  );
}

function actorOf({ actor }: Transition): string {
  return actor.kind === 'platform' ? 'the platform' : `${actor.kind} ${actor.name ?? actor.id ?? ''}`.trim();
}
