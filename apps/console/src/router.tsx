import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { parseExecutionsSearch, parseRecordView } from './features/executions/executions.search';
import { parseOverviewSearch } from './features/overview/overview.search';
import { parsePolicySearch } from './features/policies/policies.search';
import { parseTraceSearch, parseTracesSearch } from './features/traces/traces.search';
import type { ResourcePath } from './resource/resource';
import type { ResourcePages } from './resource/resource-pages';
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
  validateSearch: parseRecordView,
  component: lazyRouteComponent(() => import('./features/executions/execution.page'), 'ExecutionPage'),
});

const traces = createRoute({
  getParentRoute: () => root,
  path: '/traces',
  staticData: { answers: ['O3'] },
  validateSearch: parseTracesSearch,
  component: lazyRouteComponent(() => import('./features/traces/traces.page'), 'TracesPage'),
});

const trace = createRoute({
  getParentRoute: () => root,
  path: '/traces/$id',
  staticData: { answers: ['O3', 'B2'] },
  validateSearch: parseTraceSearch,
  component: lazyRouteComponent(() => import('./features/traces/trace.page'), 'TracePage'),
});

type SearchParser<Search> = (search: Readonly<Record<string, unknown>>) => Search;

/** The routes of a kind of resource: its list, and one of them, whose page can read more from the address. */
function resourceRoutes<const Path extends ResourcePath, Search extends object = object>(
  path: Path,
  answers: readonly Question[],
  load: () => Promise<ResourcePages>,
  validateSearch: SearchParser<Search> = () => ({}) as Search,
) {
  const getParentRoute = () => root;
  const staticData = { answers };
  const component = lazyRouteComponent(load, 'OnePage');
  return [
    createRoute({ getParentRoute, path, staticData, component: lazyRouteComponent(load, 'ListPage') }),
    createRoute({ getParentRoute, path: `${path}/$id`, staticData, validateSearch, component }),
  ] as const;
}

const resources = [
  ...resourceRoutes('/agents', ['B1'], () => import('./features/build/agents')),
  ...resourceRoutes('/teams', ['B1'], () => import('./features/build/teams')),
  ...resourceRoutes('/workflows', ['B1', 'B2'], () => import('./features/build/workflows')),
  ...resourceRoutes('/jobs', ['B3', 'O5'], () => import('./features/build/jobs')),
  ...resourceRoutes('/policies', ['B4'], () => import('./features/policies/policies'), parsePolicySearch),
  ...resourceRoutes('/decisions', ['B4', 'O3'], () => import('./features/policies/decisions')),
  ...resourceRoutes('/projects', ['B1'], () => import('./features/library/projects')),
  ...resourceRoutes('/skills', ['B1'], () => import('./features/library/skills')),
  ...resourceRoutes('/knowledge', ['B1'], () => import('./features/library/knowledge')),
  ...resourceRoutes('/integrations', ['B1'], () => import('./features/library/integrations')),
  ...resourceRoutes('/secrets', ['B1'], () => import('./features/library/secrets')),
  ...resourceRoutes('/models', ['B1'], () => import('./features/library/models')),
  ...resourceRoutes('/environments', ['O4'], () => import('./features/fleet/environments')),
  ...resourceRoutes('/queues', ['O4', 'O5'], () => import('./features/fleet/queues')),
  ...resourceRoutes('/workers', ['O4'], () => import('./features/fleet/workers')),
  ...resourceRoutes('/webhooks', ['B3', 'O3'], () => import('./features/fleet/webhooks')),
  ...resourceRoutes('/users', ['A1', 'A2'], () => import('./features/keys/users')),
] as const;

const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  staticData: { answers: ['A1', 'A2'] },
  component: lazyRouteComponent(() => import('./features/keys/keys.page'), 'KeysPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([overview, executions, execution, traces, trace, ...resources, keys]),
  basepath: '/console',
  context: { signOut: () => undefined },
  defaultPreload: 'intent',
  defaultErrorComponent: PartFailure,
  // Addresses that people can read: no JSON, no quotation marks.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(search as Record<string, string>).toString();
    return text === '' ? '' : `?${text.replaceAll('%2C', ',').replaceAll('%3A', ':')}`;
  },
});
