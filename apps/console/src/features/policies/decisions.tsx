import { unwrap } from '@app/api-client';
import { Link } from '@tanstack/react-router';
import { pagesOf } from '../../resource/resource-pages';
import { Time } from '../../ui/time';
import { DecisionParts } from './decision-parts';
import type { Decision } from './policies.queries';

export const { ListPage, OnePage } = pagesOf<Decision>({
  path: '/decisions',
  one: 'decision',
  many: 'decisions',
  purpose: 'A decision is what policies said when an execution started, or when somebody asked.',
  readScope: 'agents:read',
  list: ({ controlPlane }, query, signal) =>
    controlPlane.GET('/api/v1/policies/decisions', { params: { query }, signal }),
  read: ({ controlPlane }, id, signal) =>
    unwrap(
      controlPlane.GET('/api/v1/policies/decisions/{decision_id}', { params: { path: { decision_id: id } }, signal }),
    ),
  columns: [
    { label: 'Made', cell: ({ at }) => <Time at={at} none="" /> },
    { label: 'Occasion', cell: ({ kind, action }) => [kind, action].filter(Boolean).join(': ') },
    { label: 'About', cell: ({ entity_type }) => entity_type },
    { label: 'Violations', cell: ({ violations }) => violations.join('; ') },
    { label: 'Policies', cell: ({ policies }) => policies.map(({ policy_name }) => policy_name).join(', ') },
  ],
  nameOf: ({ allowed }) => (allowed ? 'Allowed' : 'Denied'),
  idOf: ({ id }) => id,
  factsOf: ({ kind, action, at, entity_type, entity_id, execution_id, user_email, key_id, violations }) => [
    { label: 'Made', value: <Time at={at} none="" /> },
    { label: 'Occasion', value: [kind, action].filter(Boolean).join(': ') },
    {
      label: 'About',
      value: (
        <Link to={`/${entity_type}s/$id`} params={{ id: entity_id }} className="text-accent underline">
          {entity_type} {entity_id}
        </Link>
      ),
    },
    {
      label: 'Execution',
      value:
        execution_id === null ? (
          'none'
        ) : (
          <Link to="/executions/$id" params={{ id: execution_id }} className="break-all text-accent underline">
            {execution_id}
          </Link>
        ),
    },
    { label: 'User', value: user_email ?? 'unknown' },
    { label: 'Key', value: key_id ?? 'none' },
    { label: 'Violations', value: violations.join('; ') || 'none' },
  ],
  Parts: DecisionParts,
});
