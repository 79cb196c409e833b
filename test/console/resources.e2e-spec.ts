import { expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { call } from '../support/http.js';
import { describeConsole } from '../support/console-desk.js';

/** Resources with the fewest fields that make one: by label, what a person writes. */
const NEW: readonly (readonly [path: string, one: string, fields: Readonly<Record<string, string>>])[] = [
  ['/projects', 'project', { Name: 'mobile app', Key: 'MOBILE' }],
  ['/skills', 'skill', { Name: 'tracker' }],
  ['/knowledge', 'entry', { Name: 'refunds', Content: 'Refunds are paid within 14 days.' }],
  ['/secrets', 'secret', { Name: 'MAIL_PASSWORD', Value: 'a secret' }],
  ['/integrations', 'integration', { Name: 'mail', Type: 'smtp' }],
  ['/models', 'model', { Value: 'acme/large', Label: 'Large', Provider: 'acme' }],
  ['/environments', 'environment', { Name: 'staging' }],
  ['/teams', 'team', { Name: 'crew' }],
  ['/workflows', 'workflow', { Name: 'release notes' }],
  ['/policies', 'policy', { Name: 'open' }],
];

const LISTS = [...NEW.map(([path]) => path), '/agents', '/jobs', '/queues', '/workers', '/webhooks', '/decisions'];

describeConsole('the pages of resources', (desk) => {
  it.each(NEW)('%s leads from the list to a new %s', async (path, one, fields) => {
    await desk.open(path);
    await desk.page.getByRole('button', { name: `New ${one}` }).click();
    for (const [label, text] of Object.entries(fields)) {
      await desk.page.getByRole('textbox', { name: label, exact: true }).fill(text);
    }
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('button', { name: `Create the ${one}` }).click();
    await desk.page.getByRole('heading', { name: fields['Label'] ?? fields['Name'] ?? '', level: 1 }).waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('button', { name: 'Delete', exact: true }).click();
    await desk.page.getByRole('button', { name: `Delete the ${one}` }).click();
    await desk.page.getByRole('button', { name: `New ${one}` }).waitFor();
  });

  it('show what the server refuses at its field, and what is no JSON', async () => {
    await desk.open('/projects');
    await desk.page.getByRole('button', { name: 'New project' }).click();
    await desk.page.getByRole('textbox', { name: 'Name', exact: true }).fill('refused');
    await desk.page.getByRole('textbox', { name: 'Key', exact: true }).fill('REFUSED');
    await desk.page.getByText('More settings').click();
    const settings = desk.page.getByRole('textbox', { name: 'Settings', exact: true });
    await settings.fill('{');
    await desk.page.getByRole('button', { name: 'Create the project' }).click();
    await desk.page.getByText('This is not JSON').waitFor();
    await settings.fill('[1]');
    await desk.page.getByRole('button', { name: 'Create the project' }).click();
    await eventually(async () => {
      expect(await desk.page.getByText('This is not JSON').count()).toBe(0);
      expect(await settings.getAttribute('aria-invalid')).toBe('true');
    });
    expect(await desk.page.getByRole('textbox', { name: 'Key', exact: true }).getAttribute('aria-invalid')).toBe(
      'false',
    );
  });

  it('change only what a person changed', async () => {
    const body = { name: 'app', key: 'APP', goals: 'One.\r\nTwo.\n', settings: { a: { b: [1] } } };
    const { id } = await unwrap(desk.user.client.POST('/api/v1/projects', { body }));
    const params = { path: { project_id: id } };
    await desk.open(`/projects/${id}`);
    await desk.page.getByRole('button', { name: 'Change' }).click();
    await desk.page.getByRole('textbox', { name: 'Description', exact: true }).fill('An app');
    // Meanwhile, somebody else changes what this person leaves alone.
    const others = { goals: 'Three.\r\n', settings: { a: { b: [2] } } };
    await unwrap(desk.user.client.PATCH('/api/v1/projects/{project_id}', { params, body: others }));
    // The page behind the form reads it again, as it does when a person returns to the tab.
    await desk.page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await desk.page.getByText('Three.').waitFor();
    await desk.page.getByRole('button', { name: 'Save' }).click();
    await desk.page.getByText('An app').waitFor();
    expect(await unwrap(desk.user.client.GET('/api/v1/projects/{project_id}', { params }))).toMatchObject({
      ...body,
      ...others,
      description: 'An app',
    });
  });

  it('offer things of the organization where a field names them', async () => {
    const { id: policyId } = await unwrap(desk.user.client.POST('/api/v1/policies', { body: { name: 'quiet hours' } }));
    await desk.open('/projects');
    await desk.page.getByRole('button', { name: 'New project' }).click();
    await desk.page.getByRole('textbox', { name: 'Name', exact: true }).fill('governed');
    await desk.page.getByRole('textbox', { name: 'Key', exact: true }).fill('GOVERNED');
    await desk.page.getByText('More settings').click();
    await desk.page.getByRole('checkbox', { name: 'quiet hours' }).check();
    await desk.page.getByRole('button', { name: 'Create the project' }).click();
    await desk.page.getByRole('heading', { name: 'governed', level: 1 }).waitFor();
    await desk.page.getByText(policyId).waitFor();
  });

  it('add agents and teams to a project, and skills to an agent, and remove them', async () => {
    const { client } = desk.user;
    const agentId = await desk.user.newAgent({ name: 'helper' });
    const { id: teamId } = await unwrap(client.POST('/api/v1/teams', { body: { name: 'helpers' } }));
    const skill = { name: 'searching', type: 'web_search' } as const;
    const { id: skillId } = await unwrap(client.POST('/api/v1/skills', { body: skill }));
    const project = await unwrap(client.POST('/api/v1/projects', { body: { name: 'joint', key: 'JOINT' } }));
    const params = { path: { project_id: project.id } };
    const members = async () => {
      const { agent_count, team_count } = await unwrap(client.GET('/api/v1/projects/{project_id}', { params }));
      return [agent_count, team_count];
    };
    await desk.open(`/projects/${project.id}`);
    await desk.page.getByRole('combobox', { name: 'New agent' }).selectOption(agentId);
    await desk.page.getByRole('button', { name: 'Add the agent' }).click();
    await desk.page.getByRole('button', { name: 'Remove helper', exact: true }).waitFor();
    await desk.page.getByRole('combobox', { name: 'New team' }).selectOption(teamId);
    await desk.page.getByRole('button', { name: 'Add the team' }).click();
    await desk.page.getByRole('button', { name: 'Remove helpers' }).waitFor();
    expect(await members()).toEqual([1, 1]);
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('button', { name: 'Remove helpers' }).click();
    await desk.page.getByText('It has no team yet.').waitFor();
    expect(await members()).toEqual([1, 0]);
    await desk.page.getByRole('link', { name: 'helper' }).click();
    await desk.page.getByText('This agent has no skill of its own.').waitFor();
    await desk.page.getByRole('combobox', { name: 'New skill' }).selectOption(skillId);
    await desk.page.getByRole('button', { name: 'Add the skill' }).click();
    await desk.page.getByRole('row', { name: /^searching/ }).waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('button', { name: 'Remove searching' }).click();
    await desk.page.getByText('This agent has no skill of its own.').waitFor();
  });

  it('show the secret of a webhook once, and its deliveries', async () => {
    await desk.open('/webhooks');
    await desk.page.getByRole('button', { name: 'New webhook' }).click();
    await desk.page.getByRole('textbox', { name: 'URL', exact: true }).fill('http://127.0.0.1:9/hook');
    await desk.page.getByRole('button', { name: 'Create the webhook' }).click();
    const secret = desk.page.getByRole('textbox', { name: 'Signing secret' });
    expect(await secret.inputValue()).toMatch(/^whsec_/);
    await desk.page.getByRole('button', { name: 'I have stored it' }).click();
    await desk.page.getByRole('heading', { name: 'http://127.0.0.1:9/hook', level: 1 }).waitFor();
    await desk.page.getByRole('button', { name: 'Send a test' }).click();
    await desk.page.getByRole('row', { name: /^ping/ }).waitFor();
    await desk.page.getByRole('button', { name: 'Replace the secret' }).click();
    await desk.page.getByRole('button', { name: 'Replace it' }).click();
    expect(await secret.inputValue()).toMatch(/^whsec_/);
    await desk.page.getByRole('button', { name: 'I have stored it' }).click();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
  });

  it('make a worker queue, pause it and show its workers', async () => {
    await desk.open('/queues');
    await desk.page.getByRole('button', { name: 'New worker queue' }).click();
    await desk.page.getByRole('combobox', { name: 'Environment' }).selectOption({ label: 'default' });
    await desk.page.getByRole('textbox', { name: 'Name', exact: true }).fill('gpu');
    await desk.page.getByRole('button', { name: 'Create the worker queue' }).click();
    await desk.page.getByRole('heading', { name: 'gpu', level: 1 }).waitFor();
    await desk.page.getByText('WORKER_QUEUE=gpu npm run worker').waitFor();
    await desk.page.getByRole('button', { name: 'Pause', exact: true }).click();
    await desk.page.getByText('It is paused').waitFor();
    await desk.page.getByRole('button', { name: 'Activate' }).click();
    await desk.page.getByText('Workers take executions.').waitFor();
    const { id: queueId } = await queueNamed('gpu');
    await unwrap(
      desk.user.client.POST('/api/v1/worker-queues/{queue_id}/start', {
        params: { path: { queue_id: queueId } },
        body: { hostname: 'machine-7' },
      }),
    );
    await desk.page.getByRole('link', { name: 'machine-7' }).click();
    await desk.page.getByText('It holds none.').waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
  });

  it('are usable with a key of few scopes: what it may not do says so', async () => {
    const minted = await call('POST', `${desk.platform.platformApi?.url ?? ''}/api/v1/auth/keys`, {
      scheme: 'UserKey',
      key: desk.platform.adminKey,
      body: { name: 'reader', scopes: ['tasks:read'] },
    });
    await desk.visitor.open('/projects');
    await desk.visitor.signIn((minted.body as { readonly key: string }).key);
    await desk.page.getByRole('heading', { name: 'Projects' }).waitFor();
    for (const path of LISTS) {
      await desk.page.locator(`nav a[href="/console${path}"]`).click();
      await desk.page.waitForURL(`**/console${path}`);
      await desk.page.getByRole('heading', { level: 1 }).waitFor();
      const allowed = ['/jobs', '/models'].includes(path);
      if (!allowed) await desk.page.getByText(/This takes the scope [a-z]+:[a-z]+\./).waitFor();
    }
    const button = desk.page.getByRole('button', { name: 'New job' });
    await desk.page.locator('nav a[href="/console/jobs"]').click();
    expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([
      true,
      'This takes the scope tasks:execute',
    ]);
  });

  async function queueNamed(name: string): Promise<{ readonly id: string }> {
    const queues = await unwrap(desk.user.client.GET('/api/v1/worker-queues', {}));
    const queue = queues.find((one) => one.name === name);
    if (queue === undefined) throw new Error(`There is no queue ${name}`);
    return queue;
  }
});
