import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { SessionStore } from './session/session-store';
import { watchPresence } from './ui/presence';
import './styles/base.css';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element with the id root');

/** The client of the API repeats requests itself. */
const queries = new QueryClient({ defaultOptions: { queries: { retry: false }, mutations: { retry: false } } });
const sessions = new SessionStore();
sessions.onEnd(() => queries.clear());
watchPresence(() => void queries.invalidateQueries());

createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <App sessions={sessions} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
