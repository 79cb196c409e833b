import { Link } from '@tanstack/react-router';
import { useList } from '../../api/list';
import { useSession } from '../../session/session-context';
import { PagedTable } from '../../ui/paged-table';
import { Row } from '../../ui/row';
import { Section } from '../../ui/section';
import { Time } from '../../ui/time';
import { leasesQuery } from './fleet.queries';

const COLUMNS = ['Execution', 'Status', 'Attempt', 'Taken', 'Lease ends'];

/** What a worker holds now. */
export function WorkerLeases({ workerId }: { readonly workerId: string }) {
  const list = useList(leasesQuery(useSession(), workerId));
  return (
    <Section title="Executions that it holds">
      <PagedTable list={list} many="executions" columns={COLUMNS} empty="It holds none.">
        {({ execution_id: id, entity_name, status, attempt, max_attempts, leased_at, expires_at }, place) => (
          <Row
            key={id}
            place={place}
            head={
              <Link to="/executions/$id" params={{ id }} className="text-accent underline">
                {entity_name ?? id}
              </Link>
            }
            cells={[
              status,
              `${attempt} of ${max_attempts}`,
              <Time key="taken" at={leased_at} none="" />,
              <Time key="ends" at={expires_at} none="" />,
            ]}
          />
        )}
      </PagedTable>
    </Section>
  );
}
