import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../../session/session-context';
import { Time } from '../../ui/time';
import { failuresQuery, queueLoadQuery } from './overview.queries';
import type { Period } from './overview.search';
import { sumQueues } from './queue-figures';

/** The figures that say whether something is wrong now. A figure that is not known is a dash, never 0. */
export function Figures({ period }: { readonly period: Period }) {
  const session = useSession();
  const { data: failures } = useQuery(failuresQuery(session, period));
  const { data: queues } = useQuery(queueLoadQuery(session));
  const now = queues === undefined ? undefined : sumQueues(queues);
  return (
    <section aria-label="Figures" className="grid grid-cols-2 gap-3 md:grid-cols-5">
      <Figure label="Running" value={now?.running} counted={{ status: 'running' }} />
      <Figure label="Waiting for a worker" value={now?.waiting} counted={{ status: 'pending' }}>
        {now !== undefined && now.oldestWaitingAt !== null && <Since at={now.oldestWaitingAt} />}
      </Figure>
      <Figure label="Waiting for a person" value={now?.waitingForInput} counted={{ status: 'waiting_for_input' }}>
        {now !== undefined && now.oldestWaitingForInputAt !== null && <Since at={now.oldestWaitingForInputAt} />}
      </Figure>
      <Figure
        label="Failed"
        value={failures?.failed}
        counted={{ status: 'failed', order: 'ended', from: period.from, to: period.to }}
      >
        {failures !== undefined && <p className="text-sm text-quiet">{failures.failed_before} in the period before</p>}
      </Figure>
      <Figure label="Workers alive" value={now?.aliveWorkers}>
        {now !== undefined && <p className="text-sm text-quiet">of {now.knownWorkers} known</p>}
      </Figure>
    </section>
  );
}

function Since({ at }: { readonly at: string }) {
  return (
    <p className="text-sm text-quiet">
      the first <Time at={at} none="" />
    </p>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: number | undefined;
  /** The executions that it counts; absent where it counts something else. */
  readonly counted?: Readonly<Record<string, string>>;
  readonly children?: ReactNode;
}

function Figure({ label, value, counted, children }: FigureProps) {
  const text = value?.toLocaleString('en') ?? '–';
  return (
    <div className="rounded-md border border-hairline bg-surface p-3">
      <p className="text-sm text-quiet">{label}</p>
      <p className="text-xl font-semibold">
        {counted === undefined ? (
          text
        ) : (
          <Link to="/executions" search={counted} aria-label={`${label}: ${text}`} className="text-accent">
            {text}
          </Link>
        )}
      </p>
      {children}
    </div>
  );
}
