import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../session/session-context';
import { FailurePanel } from '../../ui/failure-panel';
import { Section } from '../../ui/section';
import { Skeleton } from '../../ui/skeleton';
import { Time } from '../../ui/time';
import { scheduleQuery } from './build.queries';

interface JobScheduleProps {
  readonly schedule: string;
  readonly timezone: string;
}

const NOTES = {
  moved_by_gap: 'clocks are set forward then',
  once_in_overlap: 'clocks are set back then: it runs once',
} as const;

/** The next instants of a schedule, in its own time zone. */
export function JobSchedule({ schedule, timezone }: JobScheduleProps) {
  const { data, error, isPending, refetch } = useQuery(scheduleQuery(useSession(), schedule, timezone));
  return (
    <Section title={`Next times of ${schedule} in ${timezone}`}>
      {isPending ? (
        <Skeleton rows={3} label="Loading the next times" />
      ) : data === undefined ? (
        <FailurePanel error={error} onRetry={() => void refetch()} />
      ) : data.instants.length === 0 ? (
        <p>There is no such time.</p>
      ) : (
        <ol className="flex flex-col gap-1">
          {data.instants.map(({ at, local, note }) => (
            <li key={at}>
              {local.replace('T', ' ')} (<Time at={at} none="" />){note !== null && `: ${NOTES[note]}`}
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}
