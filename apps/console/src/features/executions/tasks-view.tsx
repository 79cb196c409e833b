import { useList } from '../../api/list';
import { useSession } from '../../session/session-context';
import { durationText } from '../../ui/duration';
import { PagedTable } from '../../ui/paged-table';
import { Row } from '../../ui/row';
import { tasksQuery, type Recorded } from './record.queries';

const COLUMNS = ['Task', 'Type', 'Status', 'Took', 'Result or error'];

/** What the worker says it does, part by part. */
export function TasksView({ execution }: { readonly execution: Recorded }) {
  const list = useList(tasksQuery(useSession(), execution));
  return (
    <PagedTable list={list} many="tasks" columns={COLUMNS} empty="The worker reported no tasks.">
      {({ task_id, task_description, task_type, status, duration_ms, result, error_message }, place) => (
        <Row
          key={task_id}
          place={place}
          head={task_description ?? task_id}
          cells={[task_type, status, duration_ms === null ? '' : durationText(duration_ms), error_message ?? result]}
        />
      )}
    </PagedTable>
  );
}
