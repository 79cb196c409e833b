import { stringifyWithBigInts } from '@app/api-client';
import { useList } from '../../api/list';
import { useSession } from '../../session/session-context';
import { CodeBlock } from '../../ui/code-block';
import { durationText } from '../../ui/duration';
import { PagedTable } from '../../ui/paged-table';
import { Row } from '../../ui/row';
import { toolCallsQuery, type Recorded, type ToolCall } from './record.queries';

const COLUMNS = ['Tool', 'Status', 'Took', 'Attempt', 'Arguments and output'];

/** The calls of tools, from the record: also after the events are gone. */
export function ToolCallsView({ execution }: { readonly execution: Recorded }) {
  const list = useList(toolCallsQuery(useSession(), execution));
  return (
    <PagedTable list={list} many="tool calls" columns={COLUMNS} empty="It called no tool.">
      {(call, place) => (
        <Row
          key={call.tool_execution_id}
          place={place}
          head={[call.tool_name, call.member_name].filter(Boolean).join(' by ')}
          cells={[
            call.status,
            call.duration_ms === null ? '' : durationText(call.duration_ms),
            call.attempt,
            <Details key="details" call={call} />,
          ]}
        />
      )}
    </PagedTable>
  );
}

function Details({ call: { arguments: args, output, error, truncated } }: { readonly call: ToolCall }) {
  return (
    <details>
      <summary>{error ?? 'Show'}</summary>
      {truncated && <p className="text-warning">Cut to 64 KiB.</p>}
      <CodeBlock label="Arguments" text={stringifyWithBigInts(args, 2)} />
      {output !== null && <CodeBlock label="Output" text={output} />}
    </details>
  );
}
