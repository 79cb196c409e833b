import { useInfiniteQuery } from '@tanstack/react-query';
import { useSession } from '../../session/session-context';
import { durationText } from '../../ui/duration';
import { PagedTable } from '../../ui/paged-table';
import { Row } from '../../ui/row';
import { tasksQuery, type Recorded } from './record.queries';

const COLUMNS = ['Task', 'Type', 'Status', 'Took', 'Result or error'];

/** What the worker says it does, part by part. */
export function TasksView({ execution }: { readonly execution: Recorded }) {
  const query = useInfiniteQuery(tasksQuery(useSession(), execution));
  return (
    <PagedTable query={query} many="tasks" columns={COLUMNS} empty="The worker reported no tasks.">
      {({ task_id, task_description, task_type, status, duration_ms, result, error_message }) => (
        <Row
          key={task_id}
          head={task_description ?? task_id}
          cells={[task_type, status, duration_ms === null ? '' : durationText(duration_ms), error_message ?? result]}
        />
      )}
    </PagedTable>
  );
}
