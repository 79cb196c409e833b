import { expect, it } from '@jest/globals';
import { unwrap } from '@app/api-client';
import { eventually } from '@app/testing';
import { call } from '../support/http.js';
import { describeConsole } from '../support/console-desk.js';

describeConsole('the pages of the agents', (desk) => {
  it('lead from nothing to the answer of an agent', async () => {
    await desk.platform.startWorker();
    await desk.open('/agents');
    await desk.page.getByText('There are no agents yet.').waitFor();
    await desk.page.getByRole('button', { name: 'New agent' }).click();
    await desk.page.getByLabel('Start from').selectOption({ label: 'Greeter: answers in one sentence' });
    await eventually(async () =>
      expect(await desk.page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('greeter'),
    );
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('button', { name: 'Create the agent' }).click();
    await desk.page.getByRole('heading', { name: 'greeter' }).waitFor();
    expect(await desk.page.getByRole('textbox', { name: 'Prompt', exact: true }).inputValue()).toBe(
      'Write a greeting for Ada.',
    );
    await desk.page.getByRole('button', { name: 'Preview' }).click();
    await desk.page.getByText(/^default in default: 1 live worker, 0 waiting$/).waitFor();
    await desk.page.getByText('none applies, so it is allowed').waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('button', { name: 'Run', exact: true }).click();
    await desk.page.getByRole('log', { name: 'Transcript' }).getByText('assistant').waitFor();
    await desk.page.getByRole('button', { name: 'Run again' }).waitFor();
    expect(await desk.page.title()).toContain('greeter: completed');
  });

  it('change what they have fields for, and keep the rest', async () => {
    const id = await desk.user.newAgent({ name: 'analyst', description: 'old', llm_config: { temperature: 0.5 } });
    await desk.open(`/agents/${id}`);
    await desk.page.getByRole('button', { name: 'Change' }).click();
    await desk.page.getByRole('textbox', { name: 'Name', exact: true }).fill('senior analyst');
    await desk.page.getByLabel('Description').fill('');
    const params = { path: { agent_id: id } };
    // Meanwhile, somebody else changes a field that this person leaves alone, and one that both change.
    const body = { system_prompt: 'You analyse.\n', description: 'theirs' };
    await unwrap(desk.user.client.PATCH('/api/v1/agents/{agent_id}', { params, body }));
    await desk.page.getByRole('button', { name: 'Save' }).click();
    await desk.page.getByText('Somebody else changed it meanwhile').waitFor();
    expect(await unwrap(desk.user.client.GET('/api/v1/agents/{agent_id}', { params }))).toMatchObject(body);
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('button', { name: 'Load the newer version' }).click();
    await desk.page.getByText('Saving replaces Description, which is now: theirs').waitFor();
    expect(await desk.page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('senior analyst');
    expect(await desk.page.getByLabel('Description').inputValue()).toBe('');
    expect(await desk.page.getByLabel('System prompt').inputValue()).toBe('You analyse.\n');
    await desk.page.getByRole('button', { name: 'Save' }).click();
    await desk.page.getByRole('heading', { name: 'senior analyst' }).waitFor();
    const agent = await unwrap(desk.user.client.GET('/api/v1/agents/{agent_id}', { params }));
    expect(agent).toMatchObject({
      name: 'senior analyst',
      description: null,
      system_prompt: 'You analyse.\n',
      llm_config: { temperature: 0.5 },
    });
  });

  it('give the commands for what they do not do', async () => {
    const id = await desk.user.newAgent({ name: 'talker' });
    await desk.open(`/agents/${id}`);
    const command = desk.page.getByRole('textbox', { name: 'Talk to it in a terminal' });
    expect(await command.inputValue()).toBe(`agentctl chat ${id}`);
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
  });

  it('delete an agent after a question', async () => {
    await desk.open(`/agents/${await desk.user.newAgent({ name: 'old one' })}`);
    await desk.page.getByRole('button', { name: 'Delete' }).click();
    await desk.page.getByRole('button', { name: 'Delete the agent' }).click();
    await desk.page.getByRole('heading', { name: 'Agents' }).waitFor();
    await eventually(async () => expect(await desk.page.getByRole('link', { name: 'old one' }).count()).toBe(0));
  });

  it('say which scope what the key may not do takes', async () => {
    const id = await desk.user.newAgent({ name: 'seen' });
    const minted = await call('POST', `${desk.platform.platformApi?.url ?? ''}/api/v1/auth/keys`, {
      scheme: 'UserKey',
      key: desk.platform.adminKey,
      body: { name: 'reader', scopes: ['agents:read'] },
    });
    await desk.visitor.open(`/agents/${id}`);
    await desk.visitor.signIn((minted.body as { readonly key: string }).key);
    for (const [name, scope] of [
      ['Change', 'agents:write'],
      ['Delete', 'agents:write'],
      ['Run', 'tasks:execute'],
    ] as const) {
      const button = desk.page.getByRole('button', { name, exact: true });
      expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([
        true,
        `This takes the scope ${scope}`,
      ]);
    }
  });
});
