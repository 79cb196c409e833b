import type { ResourcePath } from '../resource/resource';
import { PAGE_GROUPS } from './page-groups';

type Page = (typeof PAGE_GROUPS)[number]['pages'][number];

/** Somewhere to go: a page, or a thing on its page. */
export type PaletteItem =
  | {
      readonly kind: 'page';
      readonly path: Page['to'];
      readonly id: null;
      readonly name: string;
      readonly detail: null;
    }
  | {
      readonly kind: string;
      readonly path: ResourcePath | '/executions';
      readonly id: string;
      readonly name: string;
      readonly detail: string | null;
    };

const PAGES_OF_KINDS: Readonly<Record<string, ResourcePath | '/executions'>> = {
  agent: '/agents',
  environment: '/environments',
  execution: '/executions',
  integration: '/integrations',
  job: '/jobs',
  knowledge: '/knowledge',
  policy: '/policies',
  project: '/projects',
  skill: '/skills',
  team: '/teams',
  worker_queue: '/queues',
  workflow: '/workflows',
};

/** Returns the address of the list in which things of a kind are; undefined if they have no page. */
export function pageOfKind(kind: string): ResourcePath | '/executions' | undefined {
  return PAGES_OF_KINDS[kind];
}

/** Returns the pages one of whose words begins with the text. */
export function matchingPages(text: string): PaletteItem[] {
  const wanted = text.trim().toLowerCase();
  const pages: readonly Page[] = PAGE_GROUPS.flatMap((group): readonly Page[] => group.pages);
  return pages
    .filter(({ name }) =>
      name
        .toLowerCase()
        .split(' ')
        .some((word) => word.startsWith(wanted)),
    )
    .map(({ to, name }) => ({ kind: 'page', path: to, id: null, name, detail: null }));
}
