import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../../session/session-context';
import { Section } from '../../ui/section';
import { firstRunsQuery, firstStepsQuery, RUNS_OF_A_BEGINNER } from './overview.queries';

/** What leads to the first answer of an agent, and from there to runs that start and are denied by themselves. */
export function FirstSteps() {
  const { data: runs } = useQuery(firstRunsQuery(useSession()));
  return runs === undefined || runs >= RUNS_OF_A_BEGINNER ? null : <Steps hasRun={runs > 0} />;
}

function Steps({ hasRun }: { readonly hasRun: boolean }) {
  const { data } = useQuery(firstStepsQuery(useSession()));
  if (data === undefined || (hasRun && Object.values(data).every(Boolean))) return null;
  return (
    <Section title="The first steps">
      <ol className="flex flex-col gap-2 rounded-md border border-hairline bg-surface p-3">
        <Step isDone={data.hasWorker}>
          A worker is connected. <code>npm start</code> starts one; others: <code>npm run worker</code>
        </Step>
        <Step isDone={data.hasModel}>
          There is a <LinkTo page="/models" name="model" />
        </Step>
        <Step isDone={data.hasAgent}>
          There is an <LinkTo page="/agents" name="agent" />: make one from an example
        </Step>
        <Step isDone={hasRun}>Run it: open the agent, write a prompt</Step>
        <Step isDone={data.hasJob}>
          Let it run by itself: make a <LinkTo page="/jobs" name="job" /> with a schedule
        </Step>
        <Step isDone={data.hasPolicy}>
          Say what may not run: make a <LinkTo page="/policies" name="policy" /> and apply it to the agent
        </Step>
      </ol>
    </Section>
  );
}

function Step({ isDone, children }: { readonly isDone: boolean; readonly children: ReactNode }) {
  return (
    <li>
      <span className={isDone ? 'text-success' : 'text-quiet'}>{isDone ? '✓ done: ' : '○ to do: '}</span>
      {children}
    </li>
  );
}

function LinkTo({
  page,
  name,
}: {
  readonly page: '/models' | '/agents' | '/jobs' | '/policies';
  readonly name: string;
}) {
  return (
    <Link to={page} className="text-accent underline">
      {name}
    </Link>
  );
}
