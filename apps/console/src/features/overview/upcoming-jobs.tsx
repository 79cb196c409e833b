import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useSession } from '../../session/session-context';
import { FailurePanel } from '../../ui/failure-panel';
import { Section } from '../../ui/section';
import { Time } from '../../ui/time';
import { upcomingJobsQuery } from './overview.queries';

/** What schedules start next. */
export function UpcomingJobs() {
  const { data, error, refetch } = useQuery(upcomingJobsQuery(useSession()));
  return (
    <Section title="Next times of schedules">
      {error !== null && <FailurePanel error={error} onRetry={() => void refetch()} />}
      {data?.jobs.length === 0 && <p>No schedule is enabled.</p>}
      {data?.isPart === true && <p className="text-quiet">Of the {data.read} newest jobs with a schedule.</p>}
      <ul className="flex flex-col gap-1">
        {data?.jobs.map(({ id, name, next_execution_at, cron_schedule }) => (
          <li key={id}>
            <Link to="/jobs/$id" params={{ id }} className="text-accent underline">
              {name}
            </Link>{' '}
            <span className="text-quiet">
              <Time at={next_execution_at} none="" /> ({cron_schedule})
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
