import { Tabs } from '@base-ui/react/tabs';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { ExecutionList } from './execution-list';
import type { Execution } from './executions.queries';
import { parseRecordView, RECORD_VIEWS, type RecordView } from './executions.search';
import { FilesView } from './files-view';
import { InputView } from './input-view';
import { MessageBox } from './message-box';
import { StepsView } from './steps-view';
import { TasksView } from './tasks-view';
import { ToolCallsView } from './tool-calls-view';
import { TranscriptView } from './transcript-view';
import type { Transcript } from './transcript';

interface ExecutionRecordProps {
  readonly execution: Execution;
  readonly transcript: Transcript;
}

const LABELS: Readonly<Record<RecordView, string>> = {
  transcript: 'Transcript',
  steps: 'Steps',
  tools: 'Tool calls',
  tasks: 'Tasks',
  files: 'Files',
  input: 'Input',
  children: 'Started by it',
};

interface PartProps {
  readonly execution: Execution;
}

const PARTS: Readonly<Record<Exclude<RecordView, 'transcript'>, ComponentType<PartProps>>> = {
  steps: StepsView,
  tools: ToolCallsView,
  tasks: TasksView,
  files: FilesView,
  input: InputView,
  children: ChildrenView,
};

/** All that is kept of a run. What is not looked at is not asked for. */
export function ExecutionRecord({ execution, transcript }: ExecutionRecordProps) {
  const view = parseRecordView(useSearch({ strict: false })).view ?? 'transcript';
  const navigate = useNavigate();
  const show = (next: RecordView): void =>
    void navigate({
      to: '/executions/$id',
      params: { id: execution.id },
      search: parseRecordView({ view: next }),
      replace: true,
    });
  return (
    <Tabs.Root value={view} onValueChange={show} className="flex flex-col gap-3">
      <Tabs.List aria-label="Record" className="flex flex-wrap gap-1 border-b border-hairline">
        {RECORD_VIEWS.filter((name) => name !== 'steps' || execution.execution_type === 'workflow').map((name) => (
          <Tabs.Tab
            key={name}
            value={name}
            className="border-b-2 border-transparent px-2 py-1 font-semibold aria-selected:border-accent"
          >
            {LABELS[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={view} className="flex flex-col gap-3">
        {view === 'transcript' ? (
          <>
            <TranscriptView transcript={transcript} />
            <MessageBox execution={execution} />
          </>
        ) : (
          <Part view={view} execution={execution} />
        )}
      </Tabs.Panel>
    </Tabs.Root>
  );
}

function Part({ view, execution }: PartProps & { readonly view: Exclude<RecordView, 'transcript'> }) {
  const View = PARTS[view];
  return <View execution={execution} />;
}

function ChildrenView({ execution }: PartProps) {
  return <ExecutionList search={{ parent: execution.id }} onReset={() => undefined} empty="It started no execution." />;
}
