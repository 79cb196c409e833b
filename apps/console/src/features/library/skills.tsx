import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import { skillsCreate, skillsUpdate } from '../../api/generated/forms';
import { change, creation } from '../../resource/resource';
import { pagesOf } from '../../resource/resource-pages';
import { Time } from '../../ui/time';

type Schemas = ControlPlaneComponents['schemas'];

const pathOf = (id: string) => ({ path: { skill_id: id } });

export const { ListPage, OnePage } = pagesOf<Schemas['SkillResponse']>({
  path: '/skills',
  one: 'skill',
  many: 'skills',
  purpose: 'A skill is a set of tools, for example an MCP server, that agents, teams and environments share.',
  readScope: 'agents:read',
  columns: [
    { label: 'Type', cell: ({ type }) => type },
    { label: 'Enabled', cell: ({ enabled }) => (enabled ? 'yes' : 'no') },
    { label: 'Description', cell: ({ description }) => description },
    { label: 'Created', cell: ({ created_at }) => <Time at={created_at} none="" /> },
  ],
  nameOf: ({ name }) => name,
  idOf: ({ id }) => id,
  list: ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/skills', { params: { query }, signal }),
  read: ({ controlPlane }, id, signal) =>
    unwrap(controlPlane.GET('/api/v1/skills/{skill_id}', { params: pathOf(id), signal })),
  create: creation(skillsCreate, ({ controlPlane }, body) => unwrap(controlPlane.POST('/api/v1/skills', { body }))),
  update: change(skillsUpdate, ({ controlPlane }, id, body) =>
    unwrap(controlPlane.PATCH('/api/v1/skills/{skill_id}', { params: pathOf(id), body })),
  ),
  removal: {
    scope: 'agents:write',
    effect: 'While an agent, a team or an environment has it, the server refuses.',
    send: ({ controlPlane }, id) => unwrap(controlPlane.DELETE('/api/v1/skills/{skill_id}', { params: pathOf(id) })),
  },
  listCommands: [{ does: 'The types of skills', command: 'agentctl skills types' }],
  view: { folded: ['icon'] },
});
