import type { KeyScope } from '../../session/session';

/** What a key is for, with the scopes that this takes. */
export interface KeyTask {
  readonly id: string;
  readonly label: string;
  readonly help: string;
  readonly scopes: readonly KeyScope[];
}

export const KEY_TASKS: readonly KeyTask[] = [
  {
    id: 'worker',
    label: 'A worker',
    help: 'Takes executions from queues and reports what happens to them.',
    scopes: ['runners:manage', 'tasks:execute'],
  },
  {
    id: 'trigger',
    label: 'A program that starts runs',
    help: 'Starts agents, jobs and workflows, and follows them. For example a CI pipeline.',
    scopes: ['agents:read', 'tasks:read', 'tasks:execute', 'workflows:read'],
  },
  {
    id: 'reader',
    label: 'Reading only',
    help: 'Sees everything except keys, and changes nothing. For dashboards and audits.',
    scopes: ['agents:read', 'integrations:read', 'knowledge:read', 'runners:read', 'tasks:read', 'workflows:read'],
  },
  { id: 'admin', label: 'An administrator', help: 'May do everything, also create keys.', scopes: ['admin'] },
];

/** All scopes, in the order in which they are offered. */
export const KEY_SCOPES: readonly KeyScope[] = [
  'agents:read',
  'agents:write',
  'tasks:read',
  'tasks:execute',
  'workflows:read',
  'workflows:manage',
  'knowledge:read',
  'knowledge:write',
  'runners:read',
  'runners:manage',
  'integrations:read',
  'integrations:write',
  'webhooks:manage',
  'admin',
];

/** Days until a key expires, as the values of a field. */
export const EXPIRIES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
  { value: '', label: 'never' },
] as const;

/** Returns when a key expires that is created now. Null, for an empty text: never. */
export function expiryOf(days: string, now: Date): string | null {
  return days === '' ? null : new Date(now.getTime() + Number(days) * 86_400_000).toISOString();
}

/** Returns the tasks whose scopes the key in use can grant. */
export function grantableTasks(can: (scope: KeyScope) => boolean): readonly KeyTask[] {
  return KEY_TASKS.filter(({ scopes }) => scopes.every(can));
}
