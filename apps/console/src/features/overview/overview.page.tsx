import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { CommandLines } from '../../ui/command-lines';
import { useNow } from '../../ui/now';
import { usePageTitle } from '../../ui/page-title';
import { isAway } from '../../ui/presence';
import { AbandonedQueues } from './abandoned-queues';
import { FailureCauses } from './failure-causes';
import { FirstSteps } from './first-steps';
import { Figures } from './figures';
import { LongestRunning } from './longest-running';
import { EndedPlotSection } from './ended-plot-section';
import { isNews } from './news';
import { periodText } from './period-text';
import { seriesQuery } from './overview.queries';
import { parseOverviewSearch, RANGE_NAMES, rangeLabel, rangeOf, shownPeriod, type Period } from './overview.search';
import { PlatformHealth } from './platform-health';
import { QueuesSection } from './queues-section';
import { UpcomingJobs } from './upcoming-jobs';

const COMMANDS = [{ does: 'Totals of executions, tokens, cost and tool calls', command: 'agentctl analytics summary' }];

/** Whether something is broken, since when, what fails and what waits. */
export function OverviewPage() {
  usePageTitle('Overview');
  const { can, facts } = useSession();
  const search = parseOverviewSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const isOwn = search.from !== undefined;
  const range = rangeOf(search);
  const period = shownPeriod(search, useNow());
  useNews(period);
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold">Overview</h1>
        <fieldset className="flex flex-wrap gap-2">
          <legend className="sr-only">Period</legend>
          {RANGE_NAMES.map((name) => (
            <Button
              key={name}
              aria-pressed={!isOwn && name === range}
              className="aria-pressed:border-accent aria-pressed:bg-sunken"
              onClick={() => void navigate({ to: '/', search: parseOverviewSearch({ range: name }) })}
            >
              {rangeLabel(name)}
            </Button>
          ))}
          {isOwn && (
            <Button
              className="border-accent bg-sunken"
              onClick={() => void navigate({ to: '/', search: parseOverviewSearch({}) })}
            >
              {periodText(period)} ✕
            </Button>
          )}
        </fieldset>
      </div>
      {can('tasks:read') ? (
        <>
          <FirstSteps />
          <Figures period={period} />
          <AbandonedQueues />
          <FailureCauses period={period} />
          <QueuesSection />
          <EndedPlotSection
            period={period}
            onPeriod={(own) => void navigate({ to: '/', search: parseOverviewSearch({ ...own }) })}
          />
          <div className="grid gap-6 md:grid-cols-2">
            <LongestRunning />
            <UpcomingJobs />
          </div>
          <PlatformHealth />
          <CommandLines lines={COMMANDS} />
        </>
      ) : (
        <p>This takes the scope tasks:read: your key has {facts.scopes.join(', ') || 'no scopes'}.</p>
      )}
    </div>
  );
}

/** While nobody is here, the page is asked for again only if something began or ended. */
function useNews(period: Period): void {
  const queries = useQueryClient();
  const { data } = useQuery(seriesQuery(useSession(), period));
  const last = useRef(data);
  useEffect(() => {
    if (data === undefined || last.current === data) return;
    const hasNews = isNews(last.current, data);
    last.current = data;
    const isOther = ({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean => queryKey[1] !== 'series';
    if (hasNews && isAway()) void queries.invalidateQueries({ queryKey: ['overview'], predicate: isOther });
  }, [data, queries]);
}
