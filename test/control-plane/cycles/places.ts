import { KEPT, numbered, OBJECT, OTHER, TAGS, TEXT, type Cycle } from './cycle.js';

export function places({ environment }: Readonly<Record<string, string>>): Record<string, Cycle> {
  const environments: Cycle = {
    api: 'control-plane',
    path: '/api/v1/environments',
    item: '/api/v1/environments/{environment_id}',
    minimal: {},
    unique: { name: numbered(' Environment ') },
    defaults: { display_name: '', description: null, tags: [], settings: {}, execution_environment: {} },
    full: {
      display_name: TEXT,
      description: TEXT,
      tags: TAGS,
      settings: OBJECT,
      execution_environment: { env_vars: { B: '1', A: '' }, secrets: [], more: 1 },
    },
    changes: {
      name: 'renamed environment',
      display_name: 'changed',
      description: 'changed',
      tags: [],
      settings: OTHER,
      execution_environment: {},
      status: 'inactive',
    },
    emptied: { name: KEPT, display_name: KEPT, description: null, tags: KEPT, settings: KEPT, status: KEPT },
    nulled: { display_name: '' },
  };
  const queues: Cycle = {
    api: 'control-plane',
    path: `/api/v1/environments/${environment}/worker-queues`,
    item: '/api/v1/worker-queues/{queue_id}',
    minimal: {},
    unique: { name: numbered('queue') },
    defaults: {
      display_name: '',
      description: '',
      max_workers: null,
      heartbeat_interval: 60,
      tags: [],
      settings: {},
    },
    full: {
      display_name: TEXT,
      description: TEXT,
      max_workers: 7,
      heartbeat_interval: 300,
      tags: TAGS,
      settings: OBJECT,
    },
    changes: {
      name: 'renamed-queue',
      display_name: 'changed',
      description: 'changed',
      max_workers: null,
      heartbeat_interval: 10,
      tags: [],
      settings: OTHER,
      status: 'paused',
    },
    emptied: {
      name: KEPT,
      display_name: KEPT,
      max_workers: null,
      heartbeat_interval: KEPT,
      tags: KEPT,
      settings: KEPT,
      status: KEPT,
    },
    nulled: { display_name: '' },
  };
  const runners: Cycle = {
    api: 'control-plane',
    path: '/api/v1/runners',
    item: '/api/v1/runners/{runner_id}',
    minimal: {},
    unique: { name: numbered(' Runner ') },
    defaults: { description: null, labels: {}, configuration: {}, tags: [], metadata: {} },
    full: { description: TEXT, labels: { gpu: 'yes' }, configuration: OBJECT, tags: TAGS, metadata: OBJECT },
    changes: {
      name: 'renamed runner',
      description: 'changed',
      labels: {},
      configuration: OTHER,
      tags: [],
      metadata: {},
    },
    detailed: ['workers'],
    emptied: { name: KEPT, description: null, labels: KEPT, configuration: KEPT, tags: KEPT, metadata: KEPT },
  };
  return { environments, queues, runners };
}

export function accounts({ user }: Readonly<Record<string, string>>): Record<string, Cycle> {
  const users: Cycle = {
    api: 'platform-api',
    path: '/api/v1/users',
    item: '/api/v1/users/{id}',
    minimal: { name: ' user ' },
    defaults: { email: null, avatar_url: null, groups: [] },
    distinctInFull: { email: (number) => `Cycle.${number}@Acme.test` },
    full: { name: ' user ', avatar_url: 'https://acme.test/a.png', groups: TAGS },
    changes: {
      name: 'renamed',
      email: 'Cycles@Acme.test',
      avatar_url: null,
      groups: [],
      status: 'suspended',
    },
    emptied: { name: KEPT, avatar_url: null, email: null, groups: KEPT, status: KEPT },
    forbidsUnknown: true,
  };
  const keys: Cycle = {
    api: 'platform-api',
    path: '/api/v1/auth/keys',
    item: '/api/v1/auth/keys/{key_id}',
    minimal: { name: ' key ' },
    defaults: { description: null, expires_at: null },
    full: {
      name: ' key ',
      description: TEXT,
      scopes: ['tasks:read', 'agents:read'],
      expires_at: '2090-01-01T00:00:00.000Z',
      user_id: user,
    },
    changes: {
      name: 'renamed',
      description: 'changed',
      rate_limits: { burst: 100, per_minute: null, per_day: 7 },
    },
    shownOnce: ['key'],
    isUnpaged: true,
    isUnreadable: true,
    forbidsUnknown: true,
  };
  return { users, keys };
}
