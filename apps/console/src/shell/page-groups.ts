const WATCH = [
  { to: '/', name: 'Overview' },
  { to: '/executions', name: 'Executions' },
  { to: '/traces', name: 'Traces' },
  { to: '/decisions', name: 'Decisions' },
] as const;

const BUILD = [
  { to: '/agents', name: 'Agents' },
  { to: '/teams', name: 'Teams' },
  { to: '/workflows', name: 'Workflows' },
  { to: '/jobs', name: 'Jobs' },
  { to: '/policies', name: 'Policies' },
] as const;

const LIBRARY = [
  { to: '/projects', name: 'Projects' },
  { to: '/skills', name: 'Skills' },
  { to: '/knowledge', name: 'Knowledge' },
  { to: '/integrations', name: 'Integrations' },
  { to: '/secrets', name: 'Secrets' },
  { to: '/models', name: 'Models' },
] as const;

const FLEET = [
  { to: '/environments', name: 'Environments' },
  { to: '/queues', name: 'Worker queues' },
  { to: '/workers', name: 'Workers' },
  { to: '/webhooks', name: 'Webhooks' },
] as const;

const ACCESS = [
  { to: '/keys', name: 'API keys' },
  { to: '/users', name: 'Users' },
] as const;

/** The pages of the navigation, by what they are for. */
export const PAGE_GROUPS = [
  { name: 'Watch', pages: WATCH },
  { name: 'Build', pages: BUILD },
  { name: 'Library', pages: LIBRARY },
  { name: 'Fleet', pages: FLEET },
  { name: 'Access', pages: ACCESS },
] as const;
