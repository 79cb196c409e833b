import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useSession } from '../../session/session-context';
import { FailurePanel } from '../../ui/failure-panel';
import { Time } from '../../ui/time';
import { longestRunningQuery } from './overview.queries';

export function LongestRunning() {
  const { data, error, refetch } = useQuery(longestRunningQuery(useSession()));
  return (
    <section aria-labelledby="longest" className="flex flex-col gap-2">
      <h2 id="longest" className="font-semibold">
        Longest running
      </h2>
      {error !== null && <FailurePanel error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <p>Nothing runs.</p>}
      <ul className="flex flex-col gap-1">
        {data?.map(({ id, entity_name, execution_type, created_at }) => (
          <li key={id}>
            <Link to="/executions/$id" params={{ id }} className="text-accent underline">
              {entity_name ?? execution_type}
            </Link>{' '}
            <span className="text-quiet">
              created <Time at={created_at} none="" />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
