import { Link } from '@tanstack/react-router';
import { useList } from '../../api/list';
import { useSession } from '../../session/session-context';
import { PagedTable } from '../../ui/paged-table';
import { Row } from '../../ui/row';
import { Section } from '../../ui/section';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { jobRunsQuery } from './build.queries';

const COLUMNS = ['Run', 'Trigger', 'Started', 'Ended', 'Error'];

/** What a job started, newest first. */
export function JobRuns({ jobId }: { readonly jobId: string }) {
  const list = useList(jobRunsQuery(useSession(), jobId));
  return (
    <Section title="Runs">
      <PagedTable
        list={list}
        many="runs"
        columns={COLUMNS}
        addressOf={({ execution_id }) => `/executions/${execution_id}`}
        empty="It has not run yet."
      >
        {({ execution_id: id, trigger_type, status, started_at, completed_at, error_message }, place) => (
          <Row
            key={id}
            place={place}
            head={
              <Link to="/executions/$id" params={{ id }} className="text-accent underline">
                <Status of={status} />
              </Link>
            }
            cells={[
              trigger_type,
              <Time key="started" at={started_at} none="" />,
              <Time key="ended" at={completed_at} none="" />,
              error_message?.split('\n')[0],
            ]}
          />
        )}
      </PagedTable>
    </Section>
  );
}
