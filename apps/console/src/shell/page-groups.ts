/** The pages of the navigation, by what they are for. */
export const PAGE_GROUPS = [
  {
    name: 'Watch',
    pages: [
      { to: '/', name: 'Overview' },
      { to: '/executions', name: 'Executions' },
      { to: '/traces', name: 'Traces' },
      { to: '/decisions', name: 'Decisions' },
    ],
  },
  {
    name: 'Build',
    pages: [
      { to: '/agents', name: 'Agents' },
      { to: '/teams', name: 'Teams' },
      { to: '/workflows', name: 'Workflows' },
      { to: '/jobs', name: 'Jobs' },
      { to: '/policies', name: 'Policies' },
    ],
  },
  {
    name: 'Library',
    pages: [
      { to: '/projects', name: 'Projects' },
      { to: '/skills', name: 'Skills' },
      { to: '/knowledge', name: 'Knowledge' },
      { to: '/integrations', name: 'Integrations' },
      { to: '/secrets', name: 'Secrets' },
      { to: '/models', name: 'Models' },
    ],
  },
  {
    name: 'Fleet',
    pages: [
      { to: '/environments', name: 'Environments' },
      { to: '/queues', name: 'Worker queues' },
      { to: '/workers', name: 'Workers' },
      { to: '/webhooks', name: 'Webhooks' },
    ],
  },
  {
    name: 'Access',
    pages: [{ to: '/keys', name: 'API keys' }],
  },
] as const;
