import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement, Fragment, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ENTRIES } from './entries';
import '../src/styles/base.css';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element with the id root');

createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <main className="flex flex-col gap-8 p-6">
          <h1 className="text-xl font-semibold">Parts of the console</h1>
          {ENTRIES.map(({ part, inside = '', states }) => (
            <section key={part} data-parts={`${part} ${inside}`} aria-labelledby={part} className="flex flex-col gap-3">
              <h2 id={part} className="font-semibold">
                {part}
              </h2>
              {createElement(Fragment, null, ...states.map((State) => createElement(State)))}
            </section>
          ))}
        </main>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
