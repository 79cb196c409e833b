import { nearestNumber, stringifyWithBigInts } from '@app/api-client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useSession } from '../../session/session-context';
import { CodeBlock } from '../../ui/code-block';
import { Facts } from '../../ui/facts';
import { FailurePanel } from '../../ui/failure-panel';
import { Section } from '../../ui/section';
import { Skeleton } from '../../ui/skeleton';
import { spanQuery, type Span } from './traces.queries';
import { amountText, tokensText } from './usage-text';
import { nanosecondsText } from './waterfall';

interface SpanPanelProps {
  readonly traceId: string;
  readonly spanId: string;
}

/** All that is stored about a span. */
export function SpanPanel({ traceId, spanId }: SpanPanelProps) {
  const { data, error, isPending, refetch } = useQuery(spanQuery(useSession(), traceId, spanId));
  if (isPending) return <Skeleton rows={4} label="Loading the span" />;
  if (data === undefined) return <FailurePanel error={error} onRetry={() => void refetch()} />;
  return <Opened span={data} />;
}

function Opened({ span }: { readonly span: Span }) {
  const { name, status_code, status_message, category, kind, duration_ns, attributes, resource_attributes } = span;
  const execution = attributes['execution.id'] ?? attributes['platform.execution.id'];
  return (
    <Section title={`Span ${name}`}>
      <Facts
        facts={[
          { label: 'Status', value: [status_code, status_message].filter(Boolean).join(': ') },
          { label: 'Measures', value: category },
          { label: 'Kind', value: kind },
          { label: 'Duration', value: nanosecondsText(duration_ns === null ? null : nearestNumber(duration_ns)) },
          ...usageFacts(span.usage),
          ...(typeof execution === 'string'
            ? [
                {
                  label: 'Execution',
                  value: (
                    <Link to="/executions/$id" params={{ id: execution }} className="break-all text-accent underline">
                      {execution}
                    </Link>
                  ),
                },
              ]
            : []),
        ]}
      />
      <CodeBlock label="Attributes" text={stringifyWithBigInts(attributes, 2)} />
      {span.events.length > 0 && <CodeBlock label="Events" text={stringifyWithBigInts(span.events, 2)} />}
      {span.links.length > 0 && <CodeBlock label="Links" text={stringifyWithBigInts(span.links, 2)} />}
      <details>
        <summary className="text-quiet">The process that made it</summary>
        <CodeBlock label="Attributes of the process" text={stringifyWithBigInts(resource_attributes, 2)} />
      </details>
    </Section>
  );
}

function usageFacts(usage: Span['usage']) {
  if (usage === null) return [];
  return [
    { label: 'Model', value: usage.model },
    { label: 'Tokens', value: tokensText(usage) },
    { label: 'Cost', value: amountText(usage.cost) },
  ].filter(({ value }) => value !== null && value !== '');
}
