import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useSession } from '../../session/session-context';
import { AbsentPage } from '../../ui/absent-page';
import { Button } from '../../ui/button';
import { usePageTitle } from '../../ui/page-title';
import { Time } from '../../ui/time';
import { SpanPanel } from './span-panel';
import { SpanTable } from './span-table';
import { outlineQuery, type Outline } from './traces.queries';
import { parseTraceSearch, type TraceSearch } from './traces.search';
import { amountText, tokensText } from './usage-text';
import { nanosecondsText, waterfallOf } from './waterfall';
import { WaterfallView } from './waterfall-view';

/** Where the time of one request or execution went. */
export function TracePage() {
  const { id } = useParams({ from: '/traces/$id' });
  const query = useQuery(outlineQuery(useSession(), id));
  const { data } = query;
  usePageTitle(data?.spans[0]?.name ?? 'Trace');
  if (data === undefined) return <AbsentPage one="trace" query={query} />;
  return <Opened key={id} id={id} outline={data} />;
}

function usageParts({ models, cost, ...tokens }: Outline): string[] {
  const used = tokensText(tokens);
  return [
    ...(used === '' ? [] : [`${used} tokens`]),
    ...(cost === null ? [] : [`cost ${amountText(cost)}`]),
    ...(models.length === 0 ? [] : [models.join(', ')]),
  ];
}

function Opened({ id, outline }: { readonly id: string; readonly outline: Outline }) {
  const search = parseTraceSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const waterfall = useMemo(() => waterfallOf(outline.spans), [outline]);
  const show = (next: TraceSearch): void =>
    void navigate({ to: '/traces/$id', params: { id }, search: parseTraceSearch({ ...next }), replace: true });
  const { idle, ...withoutIdle } = search;
  const { t0, t1, sel, view } = withoutIdle;
  const { view: _view, ...withoutView } = search;
  const errors = outline.spans.filter(({ status_code }) => status_code === 'ERROR').length;
  return (
    <div className="flex flex-col gap-4">
      <h1 className="text-xl font-semibold break-words">{outline.spans[0]?.name ?? 'Trace'}</h1>
      <p className="text-quiet">
        <span className="font-mono text-sm break-all">{outline.trace_id}</span> ·{' '}
        <Time at={outline.started_at} none="" /> · {nanosecondsText(outline.duration_ns)} · {outline.span_count} spans ·{' '}
        {errors} errors
        {usageParts(outline).map((part) => ` · ${part}`)}
        {outline.truncated && ` · the first ${outline.spans.length} spans are shown`}
      </p>
      {outline.spans.length > 0 && (
        <Button
          aria-keyshortcuts="t"
          aria-pressed={view === 'table'}
          className="self-start aria-pressed:border-accent aria-pressed:bg-sunken"
          onClick={() => show(view === 'table' ? withoutView : { ...search, view: 'table' })}
        >
          Spans as a table
        </Button>
      )}
      {outline.spans.length === 0 ? (
        <p>No span yet. The first ones are stored while the execution runs.</p>
      ) : view === 'table' ? (
        <SpanTable waterfall={waterfall} selected={sel ?? null} onSelect={(span) => show({ ...search, sel: span })} />
      ) : (
        <WaterfallView
          waterfall={waterfall}
          window={t0 === undefined || t1 === undefined ? null : { from: Number(t0), to: Number(t1) }}
          selected={sel ?? null}
          onSelect={(span) => show({ ...search, sel: span })}
          foldsIdle={idle === 'fold'}
          onFoldIdle={(folds) => show({ ...withoutIdle, ...(folds ? { idle: 'fold' } : {}) })}
          onWindow={(next) =>
            show({
              ...(sel === undefined ? {} : { sel }),
              ...(idle === undefined ? {} : { idle }),
              ...(view === undefined ? {} : { view }),
              ...(next === null ? {} : { t0: String(Math.floor(next.from)), t1: String(Math.ceil(next.to)) }),
            })
          }
        />
      )}
      {sel !== undefined && <SpanPanel key={sel} traceId={id} spanId={sel} />}
    </div>
  );
}
