import { CatchBoundary } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { PartFailure } from './part-failure';
import { Skeleton } from './skeleton';
import type { GraphStep } from './step-layout';

/** The library of the graph is needed on few pages, so it is loaded where a graph is shown. */
const StepCanvas = lazy(async () => ({ default: (await import('./step-canvas')).StepCanvas }));

/** Steps as a graph: what waits for what. A table of the same belongs beside it. */
export function StepGraph({ steps }: { readonly steps: readonly GraphStep[] }) {
  return (
    <CatchBoundary getResetKey={() => ''} errorComponent={PartFailure}>
      <Suspense fallback={<Skeleton rows={4} label="Loading the graph" />}>
        <StepCanvas steps={steps} />
      </Suspense>
    </CatchBoundary>
  );
}
