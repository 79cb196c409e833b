import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../../session/session-context';
import { Section } from '../../ui/section';
import { firstStepsQuery, hasRunQuery } from './overview.queries';

/** What leads to the first answer of an agent. It is gone once something has run. */
export function FirstSteps() {
  const { data } = useQuery(hasRunQuery(useSession()));
  return data === false ? <Steps /> : null;
}

function Steps() {
  const { data } = useQuery(firstStepsQuery(useSession()));
  if (data === undefined) return null;
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
        <Step isDone={false}>Run it: open the agent, write a prompt</Step>
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

function LinkTo({ page, name }: { readonly page: '/models' | '/agents'; readonly name: string }) {
  return (
    <Link to={page} className="text-accent underline">
      {name}
    </Link>
  );
}
