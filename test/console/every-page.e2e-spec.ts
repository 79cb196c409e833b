import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { describeConsole } from '../support/console-desk.js';

/** `npm run screenshots` sets it: the folder of the pictures of all pages. */
const FOLDER = process.env['SCREENSHOTS'];
/** Pictures in the README and in the guide of the console. */
const SHOWN = new Set(['overview', 'execution', 'trace', 'agent', 'job', 'policy']);

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
] as const;
const SCHEMES = ['light', 'dark'] as const;

describeConsole('every page', (desk) => {
  /** Addresses by name. */
  const pages = new Map<string, string>();

  beforeAll(async () => {
    const { platform } = desk;
    ({ url: desk.url } = await platform.startControlPlane({ PLATFORM_API_URL: platform.platformApi?.url ?? '' }));
    await platform.startWorker();
    const { organization_id } = await unwrap(desk.user.client.GET('/api/v1/client/session'));
    // The pictures show a name that a person would choose.
    await platform.sql(`UPDATE organizations SET name = 'acme' WHERE id = $1`, [organization_id]);
    await fill();
    const lists = [
      'agents',
      'teams',
      'workflows',
      'jobs',
      'policies',
      'projects',
      'skills',
      'knowledge',
      'integrations',
    ];
    const others = [
      'secrets',
      'models',
      'environments',
      'queues',
      'workers',
      'webhooks',
      'decisions',
      'traces',
      'keys',
      'users',
    ];
    for (const name of ['executions', ...lists, ...others]) pages.set(name, `/${name}`);
  });

  it.each(SIZES)('fits $width × $height pixels, light and dark', async ({ width, height }) => {
    await desk.open('/models');
    await desk.page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
    await desk.page.setViewportSize({ width, height });
    for (const [name, path] of pages) {
      await desk.visitor.open(path);
      await desk.page.getByRole('heading', { level: 1 }).waitFor();
      await desk.page
        .getByRole('status', { name: /^Loading/ })
        .first()
        .waitFor({ state: 'detached' });
      expect([name, await desk.page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, width]);
      for (const colorScheme of SCHEMES) {
        await desk.page.emulateMedia({ colorScheme });
        await picture(name, `${width}-${colorScheme}`);
      }
    }
  });

  async function picture(name: string, variant: string): Promise<void> {
    if (FOLDER === undefined) return;
    mkdirSync(FOLDER, { recursive: true });
    await desk.page.screenshot({ path: join(FOLDER, `${name}-${variant}.png`) });
    if (SHOWN.has(name) && variant === '1280-light') {
      await desk.page.screenshot({ path: join('docs', 'images', `console-${name}.png`) });
    }
  }

  /** Makes what an organization has after a day. */
  async function fill(): Promise<void> {
    const { user } = desk;
    pages.set('overview', '/');
    const agentId = await user.newAgent({
      name: 'reviewer',
      description: 'Reviews drafts.',
      system_prompt: 'You review.',
    });
    pages.set('agent', `/agents/${agentId}`);
    const done = await user.execute(agentId, 'Review: our product are the best.');
    const { trace_id } = await user.waitUntilEnded(done);
    pages.set('execution', `/executions/${done}`);
    pages.set('trace', `/traces/${trace_id ?? ''}`);
    const cron = { trigger_type: 'cron', cron_schedule: '0 9 * * MON-FRI', cron_timezone: 'Europe/Berlin' } as const;
    pages.set('job', `/jobs/${await user.newJob(agentId, { name: 'weekday report', ...cron })}`);
    const policy_content = 'package quiet\n\nviolations contains "not today" if input.prompt == "later"\n';
    const policy = await unwrap(user.client.POST('/api/v1/policies', { body: { name: 'quiet', policy_content } }));
    pages.set('policy', `/policies/${policy.id}`);
    const association = { entity_type: 'agent', entity_id: agentId, policy_id: policy.id } as const;
    await unwrap(user.client.POST('/api/v1/policies/associations', { body: association }));
    await unwrap(
      user.client.POST('/api/v1/agents/{agent_id}/execute', {
        params: { path: { agent_id: agentId } },
        body: { prompt: 'later' },
      }),
    );
    const steps = [
      { name: 'draft', type: 'prompt', prompt: 'Write about {{params.topic}}.' },
      { name: 'review', type: 'prompt', prompt: 'Review {{steps.draft.output}}' },
    ] as const;
    const workflow = await unwrap(
      user.client.POST('/api/v1/workflows', { body: { name: 'draft and review', steps: [...steps] } }),
    );
    pages.set('workflow', `/workflows/${workflow.id}`);
    const team = await unwrap(user.client.POST('/api/v1/teams', { body: { name: 'crew' } }));
    pages.set('team', `/teams/${team.id}`);
  }
});
