import { unwrap } from '@app/api-client';
import { onlyOver, unwrapTagged, type Tagged } from '../../api/entity-tag';
import { policiesCreate, policiesUpdate } from '../../api/generated/forms';
import { change, creation } from '../../resource/resource';
import { pagesOf } from '../../resource/resource-pages';
import { Time } from '../../ui/time';
import type { Policy } from './policies.queries';
import { PolicyParts } from './policy-parts';

const pathOf = (id: string) => ({ path: { policy_id: id } });

const DENY_AT_NIGHT = `package night

default allow := true

hour := time.clock(time.now_ns())[0]

allow := false if hour < 6

violations contains "nothing runs between midnight and six (UTC)" if hour < 6
`;

const DENY_WORDS = `package words

# Prompts with one of these words do not run.
forbidden := {"password", "report"}

default allow := true

allow := false if count(found) > 0

found contains word if {
	some word in forbidden
	contains(lower(input.execution.prompt), word)
}

violations contains sprintf("the prompt contains %q", [word]) if some word in found
`;

export const { ListPage, OnePage } = pagesOf<Tagged<Policy>>({
  path: '/policies',
  one: 'policy',
  many: 'policies',
  purpose:
    'A policy is a Rego module that decides what agents, teams and environments may run; make one from an example.',
  readScope: 'agents:read',
  list: async ({ controlPlane }, query, signal) => {
    const answer = await controlPlane.GET('/api/v1/policies', { params: { query }, signal });
    return answer.data === undefined ? answer : { ...answer, data: answer.data.policies };
  },
  read: ({ controlPlane }, id, signal) =>
    unwrapTagged(controlPlane.GET('/api/v1/policies/{policy_id}', { params: pathOf(id), signal })),
  create: creation(policiesCreate, ({ controlPlane }, body) => unwrap(controlPlane.POST('/api/v1/policies', { body }))),
  update: change(policiesUpdate, ({ controlPlane }, id, body, tag) =>
    unwrap(controlPlane.PATCH('/api/v1/policies/{policy_id}', { params: { ...pathOf(id), ...onlyOver(tag) }, body })),
  ),
  removal: {
    scope: policiesUpdate.scope,
    effect: 'While a project or a context names it, the server refuses. Recorded decisions are kept.',
    send: ({ controlPlane }, id) => unwrap(controlPlane.DELETE('/api/v1/policies/{policy_id}', { params: pathOf(id) })),
  },
  columns: [
    { label: 'Description', cell: ({ description }) => description },
    { label: 'Enabled', cell: ({ enabled }) => (enabled ? 'yes' : 'no') },
    { label: 'Applies to', cell: ({ association_count }) => association_count },
    { label: 'Version', cell: ({ version }) => version },
    { label: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} none="" /> },
  ],
  nameOf: ({ name }) => name,
  idOf: ({ id }) => id,
  starts: [
    {
      label: 'Deny prompts with certain words',
      values: {
        name: 'deny words',
        description: 'Nothing runs whose prompt contains certain words.',
        policy_content: DENY_WORDS,
      },
    },
    {
      label: 'Deny at night',
      values: { name: 'deny at night', description: 'Nothing runs at night.', policy_content: DENY_AT_NIGHT },
    },
  ],
  view: { folded: ['policy_type', 'tags', 'metadata'] },
  Parts: PolicyParts,
  commandsOf: ({ id }) => [
    { does: 'Compare its verdicts with expected ones', command: `agentctl policies test ${id} --cases cases.yaml` },
    { does: 'The ids of what it applies to', command: `agentctl policy-associations list --filter policy_id=${id}` },
    { does: 'One place where it applies', command: 'agentctl policy-associations get ASSOCIATION_ID' },
    {
      does: 'Change the priority there',
      command: 'agentctl policy-associations edit ASSOCIATION_ID --set priority=10',
    },
  ],
});
