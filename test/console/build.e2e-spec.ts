import { eventually } from '@app/testing';
import { beforeAll, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { unwrap } from '@app/api-client';
import type { Locator, Route } from 'playwright-core';
import { describeConsole } from '../support/console-desk.js';

describeConsole('the pages on which a builder works', (desk) => {
  beforeAll(() => desk.platform.startWorker());

  it('run the example of a workflow, with a value for its parameter', async () => {
    await desk.open('/workflows');
    await startFrom('workflow', 'Draft and review: two prompts to the default model');
    await desk.page.getByRole('heading', { name: 'draft-and-review', level: 1 }).waitFor();
    await desk.page.getByRole('row', { name: /^review prompt/ }).waitFor();
    const graph = desk.page.getByRole('figure', { name: 'Graph of the steps' });
    await graph.getByText('review', { exact: true }).waitFor();
    await graph.locator('.react-flow__edge-path').waitFor({ state: 'attached' });
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('textbox', { name: 'topic', exact: true }).fill('lighthouses');
    await desk.page.getByRole('button', { name: 'Run', exact: true }).click();
    await desk.page.getByRole('button', { name: 'Run again' }).waitFor();
    expect(await desk.page.title()).toContain('draft-and-review: completed');
    await desk.page.getByRole('tab', { name: 'Steps' }).click();
    const draft = desk.page.getByRole('row', { name: /^draft prompt completed/ });
    expect(await draft.getByRole('figure', { name: 'Output of draft' }).textContent()).toContain('lighthouses');
    await desk.page.getByRole('row', { name: /^review prompt completed/ }).waitFor();
    await graph.getByText('completed').last().waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
  });

  it('make a team of agents, and run it', async () => {
    await desk.user.newAgent({ name: 'writer' });
    await desk.open('/teams');
    await startFrom('team', 'Crew: splits the work between its agents');
    await desk.page.getByText('It has no agent yet').waitFor();
    await desk.page.getByRole('combobox', { name: 'Agent' }).selectOption({ label: 'writer' });
    await desk.page.getByRole('button', { name: 'Add to the team' }).click();
    await desk.page.getByRole('button', { name: 'Remove writer' }).waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('Write a line.');
    await desk.page.getByRole('button', { name: 'Run', exact: true }).click();
    await desk.page.getByRole('button', { name: 'Run again' }).waitFor();
    expect(await desk.page.title()).toContain('crew: completed');
  });

  it('make a job with a schedule, show its next times, disable and trigger it', async () => {
    await desk.user.newAgent({ name: 'reporter' });
    await desk.open('/jobs');
    await desk.page.getByRole('button', { name: 'New job' }).click();
    await desk.page.getByLabel('Start from').selectOption({ label: 'Every weekday at nine' });
    await desk.page.getByRole('combobox', { name: 'Runs' }).selectOption({ label: 'reporter (agent)' });
    await desk.page.getByRole('textbox', { name: 'Cron timezone' }).fill('Europe/Berlin');
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('button', { name: 'Create the job' }).click();
    await desk.page.getByRole('heading', { name: 'Next times of 0 9 * * MON-FRI in Europe/Berlin' }).waitFor();
    await desk.page.locator('li', { hasText: ' 09:00:00' }).nth(9).waitFor();
    await desk.page.getByRole('button', { name: 'Disable' }).click();
    await desk.page.getByText('Disabled: nothing triggers it').waitFor();
    await desk.page.getByRole('button', { name: 'Enable' }).click();
    await desk.page.getByRole('button', { name: 'Disable' }).waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('button', { name: 'Trigger now' }).click();
    await desk.page.getByRole('button', { name: 'Run again' }).waitFor();
    await desk.page.goBack();
    await desk.page.getByRole('row', { name: /^\w+ manual/ }).waitFor();
  });

  it('make a job that another system calls with its secret', async () => {
    await desk.user.newAgent({ name: 'receiver' });
    await desk.open('/jobs');
    await desk.page.getByRole('button', { name: 'New job' }).click();
    await desk.page.getByLabel('Start from').selectOption({ label: 'When another system calls' });
    await desk.page.getByRole('combobox', { name: 'Runs' }).selectOption({ label: 'receiver (agent)' });
    await desk.page.getByRole('button', { name: 'Create the job' }).click();
    const url = await desk.page.getByRole('textbox', { name: 'Webhook address' }).inputValue();
    const secret = await desk.page.getByLabel('Webhook secret').inputValue();
    const body = '{"text": "hello"}';
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    const headers = { 'Content-Type': 'application/json', 'X-Webhook-Signature': `sha256=${signature}` };
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
    await desk.page.reload();
    await desk.page.getByRole('row', { name: /\bwebhook\b/ }).waitFor();
    await desk.page.getByRole('button', { name: 'Replace the secret' }).click();
    await desk.page.getByRole('button', { name: 'Replace it' }).click();
    await desk.page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(401);
  });

  it('try a policy, let it deny an agent, and say why', async () => {
    await desk.user.newAgent({ name: 'governed' });
    await desk.open('/policies');
    await startFrom('policy', 'Deny at night');
    const source = desk.page.getByRole('textbox', { name: 'Rego' });
    await write(source, 'package no\n\nallow := false if {');
    await desk.page.getByText('It does not compile').waitFor();
    await desk.page.getByText(/^Line \d+, column \d+: /).waitFor();
    await write(source, 'package   no\n\nviolations contains "not today"\n');
    await desk.page.getByText(/^Denied in [\d.]+ ms$/).waitFor();
    await desk.page.getByText('What its rules say').click();
    await desk.page.getByRole('figure', { name: 'Value of the package' }).getByText('"not today"').waitFor();
    await desk.page.getByRole('button', { name: 'Format' }).click();
    await eventually(async () => expect(await source.innerText()).toMatch(/^package no\n/));
    await desk.page.getByText('not today').last().waitFor();
    // Meanwhile, somebody else stores a version: what this person writes stays, is not stored over it, and says so.
    const [, policyId = ''] = /policies\/([^/?]+)/.exec(desk.page.url()) ?? [];
    const params = { path: { policy_id: policyId } };
    const body = { policy_content: 'package other\n' };
    await unwrap(desk.user.client.PATCH('/api/v1/policies/{policy_id}', { params, body }));
    await desk.page.getByRole('button', { name: 'Save the source' }).click();
    await desk.page.getByRole('button', { name: 'Store it' }).click();
    await desk.page.getByText('Version 2 was stored meanwhile; its source is below.').waitFor();
    expect(await source.innerText()).toContain('not today');
    expect(await unwrap(desk.user.client.GET('/api/v1/policies/{policy_id}', { params }))).toMatchObject(body);
    await desk.page.getByRole('button', { name: 'Keep my text' }).click();
    await desk.page.getByRole('button', { name: 'Save the source' }).click();
    await desk.page.getByText('Of 0 decisions, 0 stay the same, 0 newly denied, 0 newly allowed.').waitFor();
    const changes = desk.page.getByRole('textbox', { name: 'Changes' });
    await changes.getByText('package other').waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('button', { name: 'Store it' }).click();
    await desk.page.getByRole('row', { name: /^3 deny at night/ }).waitFor();
    await desk.page.getByRole('combobox', { name: 'Name' }).selectOption({ label: 'governed' });
    await desk.page.getByRole('button', { name: 'Apply the policy to it' }).click();
    await desk.page.getByText('It reaches 1 agent.').waitFor();
    await desk.page.getByRole('row', { name: 'governed agent governed' }).waitFor();
    await desk.page.getByRole('link', { name: 'governed' }).first().click();
    await desk.page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('Go on.');
    await desk.page.getByRole('button', { name: 'Run', exact: true }).click();
    await desk.page.getByText('not today').first().waitFor();
    await desk.page.getByRole('link', { name: 'Decisions' }).click();
    await desk.page.getByRole('link', { name: 'Denied' }).first().click();
    await desk.page.getByRole('row', { name: /^deny at night 3 denies not today/ }).waitFor();
    await desk.page.getByRole('button', { name: 'Decide again' }).click();
    await desk.page.getByText('The same again: denied (not today)').waitFor();
    // The next version is tried on this decision before it is stored.
    await desk.page.getByRole('link', { name: 'Open in the editor with this input' }).click();
    await desk.page.getByRole('textbox', { name: 'Input of the trial' }).getByText('"Go on."').waitFor();
    await write(source, 'package no\n\nallow if contains(input.execution.prompt, "on")\n');
    await desk.page.getByText(/^Allowed in/).waitFor();
    expect(desk.page.url()).toMatch(/\?input=decision:[0-9a-f-]{36}$/);
    await desk.page.getByRole('combobox', { name: 'Start from the input of' }).selectOption({ index: 0 });
    await desk.page.getByRole('textbox', { name: 'Input of the trial' }).getByText('"greeter"').waitFor();
    await desk.page.getByText(/^Denied in/).waitFor();
    await desk.page.getByRole('combobox', { name: 'Start from the input of' }).selectOption({ index: 1 });
    await desk.page.getByRole('textbox', { name: 'Input of the trial' }).getByText('"Go on."').waitFor();
    await desk.page.getByText(/^Allowed in/).waitFor();
    await desk.page.getByRole('button', { name: 'Try recent decisions' }).click();
    await desk.page.getByText('Of 1 decision, 0 stay the same, 0 newly denied, 1 newly allowed.').waitFor();
    await desk.page.getByRole('row', { name: /agent governed denied allowed/ }).waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
  });

  it('compare two versions of a policy, and restore one', async () => {
    const { id } = await unwrap(
      desk.user.client.POST('/api/v1/policies', { body: { name: 'old', policy_content: 'package first\n' } }),
    );
    const params = { path: { policy_id: id } };
    for (const policy_content of ['package second\n', 'package third\n']) {
      await unwrap(desk.user.client.PATCH('/api/v1/policies/{policy_id}', { params, body: { policy_content } }));
    }
    await desk.open(`/policies/${id}?compare=1..2`);
    const changes = desk.page.getByRole('textbox', { name: 'Changes from version 1 to version 2' });
    await changes.getByText('package first').waitFor();
    await changes.getByText('package second').waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('combobox', { name: 'with' }).selectOption({ label: 'version 3' });
    await desk.page.getByRole('textbox', { name: 'Changes from version 1 to version 3' }).waitFor();
    expect(desk.page.url()).toMatch(/\?compare=1\.\.3$/);
    await desk.page
      .getByRole('row', { name: /^1 old/ })
      .getByRole('button', { name: 'Restore' })
      .click();
    await desk.page.getByRole('dialog', { name: 'Restore the source of version 1?' }).waitFor();
    await desk.page.getByRole('button', { name: 'Store it' }).click();
    await desk.page.getByRole('row', { name: /^4 old/ }).waitFor();
    const stored = await unwrap(desk.user.client.GET('/api/v1/policies/{policy_id}', { params }));
    expect(stored).toMatchObject({ version: 4, policy_content: 'package first\n' });
  });

  it('lead from an execution to the policy that let it run, with its input', async () => {
    const agentId = await desk.user.newAgent({ name: 'watched' });
    const body = { name: 'watching', policy_content: 'package watching\n\nallow := true\n' };
    const { id: policyId } = await unwrap(desk.user.client.POST('/api/v1/policies', { body }));
    const association = { policy_id: policyId, entity_type: 'agent', entity_id: agentId } as const;
    await unwrap(desk.user.client.POST('/api/v1/policies/associations', { body: association }));
    const id = await desk.user.execute(agentId, 'Look out.');
    await desk.open(`/executions/${id}?view=input`);
    await desk.page.getByRole('link', { name: 'Open in the editor with this input' }).click();
    await desk.page.getByRole('heading', { name: 'watching', level: 1 }).waitFor();
    await desk.page.getByRole('textbox', { name: 'Input of the trial' }).getByText('"Look out."').waitFor();
    await desk.page.getByText(/^Allowed in/).waitFor();
  });

  it('complete the names of builtins, and walk through the faults of a policy', async () => {
    await desk.open('/policies');
    await startFrom('policy', 'Deny at night');
    await desk.page.locator('.cm-content').first().waitFor();
    const source = desk.page.getByRole('textbox', { name: 'Rego' });
    await write(source, 'package no\n\na := http.se');
    await desk.page.getByRole('option', { name: /^http\.send refused: it reaches outside the evaluation/ }).waitFor();
    await write(source, 'package no\n\na := array.sl');
    await desk.page.getByRole('option', { name: /array\.slice 3 arguments/ }).waitFor();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.keyboard.press('Enter');
    await desk.page.keyboard.insertText('[1]');
    expect(await source.innerText()).toContain('a := array.slice([1], , )');
    await write(source, 'package no\n\na := unknown_one(1)\n\nb := unknown_two(1)\n');
    await desk.page.getByText(/^Line 5, column \d+: /).waitFor();
    await desk.page.keyboard.press('ControlOrMeta+Home');
    await desk.page.keyboard.press('F8');
    await desk.page.keyboard.press('ArrowLeft');
    await desk.page.keyboard.insertText('first_');
    await eventually(async () => expect(await source.innerText()).toContain('a := first_unknown_one(1)'));
    const question = desk.page.getByRole('dialog', { name: 'Leave without storing the source?' });
    await desk.page.getByRole('link', { name: 'Agents', exact: true }).click();
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await source.innerText()).toContain('first_unknown_one');
    await desk.page.getByRole('link', { name: 'Agents', exact: true }).click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await desk.page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
  });

  it('go on writing at the same place when the editor of a policy is loaded', async () => {
    const editorCode = new Promise<Route>((resolve, reject) => {
      desk.page.route(/\/assets\/code-editor-[^/]*\.js$/, resolve).catch(reject);
    });
    await desk.open('/policies');
    await startFrom('policy', 'Deny at night');
    await write(desk.page.getByRole('textbox', { name: 'Rego' }), 'package plain\nlist := []');
    await desk.page.keyboard.press('ArrowLeft');
    await (await editorCode).continue();
    const editor = desk.page.locator('.cm-content').first();
    await editor.waitFor();
    await desk.page.keyboard.insertText('1');
    expect(await editor.innerText()).toBe('package plain\nlist := [1]');
  });

  /** Types over the code of an editor, as a person does. */
  async function write(editor: Locator, code: string): Promise<void> {
    await editor.press('ControlOrMeta+a');
    await desk.page.keyboard.insertText(code);
  }

  async function startFrom(one: string, label: string): Promise<void> {
    await desk.page.getByRole('button', { name: `New ${one}` }).click();
    await desk.page.getByLabel('Start from').selectOption({ label });
    await desk.page.getByRole('button', { name: `Create the ${one}` }).click();
  }
});
