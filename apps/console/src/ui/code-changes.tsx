import { CatchBoundary } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { CodeBlock } from './code-block';
import type { CodeComparisonProps } from './code-comparison';
import { Skeleton } from './skeleton';

/** Large, and needed on few pages. */
const CodeComparison = lazy(async () => ({ default: (await import('./code-comparison')).CodeComparison }));

/** What differs between two texts. If the comparison cannot be loaded, both stand below each other. */
export function CodeChanges(props: CodeComparisonProps) {
  const { label, before, after } = props;
  const [isMissing, setIsMissing] = useState(false);
  if (before === after) return <p>Both are the same.</p>;
  if (isMissing) {
    return (
      <>
        <CodeBlock label={`${label}: before`} text={before} />
        <CodeBlock label={`${label}: after`} text={after} />
      </>
    );
  }
  return (
    <CatchBoundary getResetKey={() => ''} errorComponent={Nothing} onCatch={() => setIsMissing(true)}>
      <Suspense fallback={<Skeleton rows={6} label="Loading the comparison" />}>
        <CodeComparison {...props} />
      </Suspense>
    </CatchBoundary>
  );
}

function Nothing() {
  return null;
}
