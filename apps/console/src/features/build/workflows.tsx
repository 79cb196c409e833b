import { unwrap } from '@app/api-client';
import { onlyOver, unwrapTagged, type Tagged } from '../../api/entity-tag';
import { workflowsCreate, workflowsUpdate } from '../../api/generated/forms';
import { teamChoices } from '../../resource/choices';
import { change, creation } from '../../resource/resource';
import { pagesOf } from '../../resource/resource-pages';
import { Time } from '../../ui/time';
import type { Workflow } from './build.queries';
import { WorkflowParts } from './workflow-parts';

const pathOf = (id: string) => ({ path: { workflow_id: id } });

export const { ListPage, OnePage } = pagesOf<Tagged<Workflow>>({
  path: '/workflows',
  one: 'workflow',
  many: 'workflows',
  purpose: 'A workflow is steps that wait for one another: agents, teams, tools and prompts to a model.',
  readScope: 'workflows:read',
  list: ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/workflows', { params: { query }, signal }),
  read: ({ controlPlane }, id, signal) =>
    unwrapTagged(controlPlane.GET('/api/v1/workflows/{workflow_id}', { params: pathOf(id), signal })),
  create: creation(workflowsCreate, ({ controlPlane }, body) =>
    unwrap(controlPlane.POST('/api/v1/workflows', { body })),
  ),
  update: change(workflowsUpdate, ({ controlPlane }, id, body, tag) =>
    unwrap(
      controlPlane.PATCH('/api/v1/workflows/{workflow_id}', { params: { ...pathOf(id), ...onlyOver(tag) }, body }),
    ),
  ),
  removal: {
    scope: workflowsUpdate.scope,
    effect: 'While an enabled job names it, the server refuses. Its executions are kept.',
    send: ({ controlPlane }, id) =>
      unwrap(controlPlane.DELETE('/api/v1/workflows/{workflow_id}', { params: pathOf(id) })),
  },
  columns: [
    { label: 'Description', cell: ({ description }) => description },
    { label: 'Steps', cell: ({ steps }) => steps.length },
    { label: 'Version', cell: ({ version }) => version },
    { label: 'Status', cell: ({ status }) => status },
    { label: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} none="" /> },
  ],
  nameOf: ({ name }) => name,
  idOf: ({ id }) => id,
  starts: [
    {
      label: 'Draft and review: two prompts to the default model',
      values: {
        name: 'draft-and-review',
        description: 'Writes a draft, and reviews it.',
        steps: [
          { name: 'draft', type: 'prompt', prompt: 'Write three sentences about {{params.topic}}.' },
          { name: 'review', type: 'prompt', prompt: 'Review this draft: {{steps.draft.output}}' },
        ],
      },
    },
  ],
  view: { folded: ['configuration', 'team_id', 'status'], choices: { team_id: teamChoices } },
  Parts: WorkflowParts,
  commandsOf: ({ id, version }) => [
    { does: 'Its versions', command: `agentctl workflows versions ${id}` },
    { does: 'One of its versions', command: `agentctl workflows version ${id} ${version}` },
  ],
});
