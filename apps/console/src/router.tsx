import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { parseExecutionsSearch } from './features/executions/executions.search';
import { parseOverviewSearch } from './features/overview/overview.search';
import { NotFound } from './shell/not-found';
import { Shell } from './shell/shell';
import { PartFailure } from './ui/part-failure';

/** What every page can do besides its own requests. */
export interface PageContext {
  readonly signOut: () => void;
}

/** The questions of the people who use the console; each page answers at least one of them. */
export type Question = 'O1' | 'O2' | 'O3' | 'O4' | 'O5' | 'B1' | 'B2' | 'B3' | 'B4' | 'A1' | 'A2';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    readonly answers: readonly Question[];
  }
  interface Register {
    router: typeof router;
  }
}

const root = createRootRouteWithContext<PageContext>()({
  staticData: { answers: [] },
  component: Shell,
  notFoundComponent: NotFound,
});

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  staticData: { answers: ['O1', 'O2', 'O4'] },
  validateSearch: parseOverviewSearch,
  component: lazyRouteComponent(() => import('./features/overview/overview.page'), 'OverviewPage'),
});

const executions = createRoute({
  getParentRoute: () => root,
  path: '/executions',
  staticData: { answers: ['O1', 'O2', 'O3'] },
  validateSearch: parseExecutionsSearch,
  component: lazyRouteComponent(() => import('./features/executions/executions.page'), 'ExecutionsPage'),
});

const execution = createRoute({
  getParentRoute: () => root,
  path: '/executions/$id',
  staticData: { answers: ['O3', 'O5', 'B2'] },
  component: lazyRouteComponent(() => import('./features/executions/execution.page'), 'ExecutionPage'),
});

const agents = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  staticData: { answers: ['B1'] },
  component: lazyRouteComponent(() => import('./features/agents/agents.page'), 'AgentsPage'),
});

const agent = createRoute({
  getParentRoute: () => root,
  path: '/agents/$id',
  staticData: { answers: ['B1'] },
  component: lazyRouteComponent(() => import('./features/agents/agent.page'), 'AgentPage'),
});

const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  staticData: { answers: ['A1', 'A2'] },
  component: lazyRouteComponent(() => import('./features/keys/keys.page'), 'KeysPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([overview, executions, execution, agents, agent, keys]),
  basepath: '/console',
  context: { signOut: () => undefined },
  defaultPreload: 'intent',
  defaultErrorComponent: PartFailure,
  // Addresses that people can read: no JSON, no quotation marks.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(search as Record<string, string>).toString().replaceAll('%2C', ',');
    return text === '' ? '' : `?${text}`;
  },
});
