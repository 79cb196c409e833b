import { Link } from '@tanstack/react-router';
import { useList } from '../../api/list';
import { useSession } from '../../session/session-context';
import { PagedTable } from '../../ui/paged-table';
import { Row } from '../../ui/row';
import { Section } from '../../ui/section';
import { queuesOfEnvironmentQuery } from './fleet.queries';

const COLUMNS = ['Name', 'Status', 'Connected workers'];

/** The queues in which executions of an environment wait. */
export function EnvironmentQueues({ environmentId }: { readonly environmentId: string }) {
  const list = useList(queuesOfEnvironmentQuery(useSession(), environmentId));
  return (
    <Section title="Worker queues">
      <PagedTable
        list={list}
        many="worker queues"
        columns={COLUMNS}
        empty="It has no worker queue: nothing runs in it."
      >
        {({ id, name, status, active_workers }, place) => (
          <Row
            key={id}
            place={place}
            head={
              <Link to="/queues/$id" params={{ id }} className="text-accent underline">
                {name}
              </Link>
            }
            cells={[status, active_workers]}
          />
        )}
      </PagedTable>
    </Section>
  );
}
