import { beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@app/testing';
import { call } from '../support/http.js';
import { describeConsole } from '../support/console-desk.js';

describeConsole('the page of the API keys', (desk) => {
  beforeAll(async () => {
    const { platform } = desk;
    ({ url: desk.url } = await platform.startControlPlane({ PLATFORM_API_URL: platform.platformApi?.url ?? '' }));
  });

  const rowOf = (name: string) =>
    desk.page.getByRole('row').filter({ has: desk.page.getByRole('rowheader', { name }) });

  async function mint(name: string, scopes: readonly string[]): Promise<string> {
    await desk.page.getByRole('button', { name: 'New key' }).click();
    await desk.page.getByLabel('Name').fill(name);
    await desk.page.getByLabel('Own choice').check();
    for (const scope of scopes) await desk.page.getByLabel(scope, { exact: true }).check();
    await desk.page.getByRole('button', { name: 'Create the key' }).click();
    return desk.page.getByRole('dialog').getByLabel('API key').inputValue();
  }

  it('refuses a wrong key in words, and shows the opened page after the sign-in and after a reload', async () => {
    await desk.visitor.open('/keys');
    await desk.visitor.signIn('ak_wrong');
    expect(await desk.page.getByRole('alert').textContent()).toBe('This key is not valid: unknown or revoked.');
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.visitor.signIn(desk.platform.adminKey);
    await desk.page.getByRole('heading', { name: 'API keys' }).waitFor();
    await desk.page.reload();
    await desk.page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(desk.page.url()).toBe(`${desk.url}/console/keys`);
    expect(await desk.page.context().storageState()).toEqual({ cookies: [], origins: [] });
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
  });

  it('creates a key with two scopes, shows it once, and revokes it', async () => {
    await desk.open('/keys');
    const key = await mint('two scopes', ['agents:read', 'tasks:read']);
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.keyboard.press('Escape');
    await desk.page.getByRole('button', { name: 'I have stored it' }).click();
    expect(await desk.page.content()).not.toContain(key);
    expect(await rowOf('two scopes').textContent()).toContain('agents:read, tasks:read');
    const session = await call('GET', `${desk.url}/api/v1/client/session`, { key });
    expect(session.body).toMatchObject({ key_name: 'two scopes', scopes: ['agents:read', 'tasks:read'] });

    await desk.page.getByRole('button', { name: 'Revoke two scopes' }).click();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('button', { name: 'Revoke the key' }).click();
    await rowOf('two scopes').waitFor({ state: 'detached' });
    await eventually(async () => {
      expect((await call('GET', `${desk.url}/api/v1/client/session`, { key })).status).toBe(401);
    });
  });

  it('creates a user and a key for this user, and shows how to end what the user may do', async () => {
    await desk.open('/users');
    await desk.page.getByRole('button', { name: 'New user' }).click();
    await desk.page.getByRole('textbox', { name: 'Name', exact: true }).fill('Ada Lovelace');
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('button', { name: 'Create the user' }).click();
    await desk.page.getByRole('heading', { name: 'Ada Lovelace', level: 1 }).waitFor();
    await desk.page.getByRole('button', { name: 'New key for this user' }).click();
    await desk.page.getByRole('heading', { name: 'New key for Ada Lovelace' }).waitFor();
    await desk.page.getByLabel('Name').fill('of ada');
    await desk.page.getByLabel('Own choice').check();
    await desk.page.getByLabel('tasks:read', { exact: true }).check();
    await desk.page.getByRole('button', { name: 'Create the key' }).click();
    const key = await desk.page.getByRole('dialog').getByLabel('API key').inputValue();
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
    await desk.page.getByRole('button', { name: 'I have stored it' }).click();
    const session = await call('GET', `${desk.url}/api/v1/client/session`, { key });
    expect(session.body).toMatchObject({ key_name: 'of ada', user_name: 'Ada Lovelace' });
    await desk.page.getByRole('button', { name: 'Delete', exact: true }).click();
    await desk.page.getByRole('button', { name: 'Delete the user' }).click();
    await eventually(async () =>
      expect(await desk.page.getByRole('dialog').textContent()).toContain('The user has used'),
    );
    await desk.page.keyboard.press('Escape');
    await desk.page.getByRole('button', { name: 'Change' }).click();
    await desk.page.getByRole('combobox', { name: 'Status' }).selectOption('suspended');
    await desk.page.getByRole('button', { name: 'Save' }).click();
    const mintAgain = desk.page.getByRole('button', { name: 'New key for this user' });
    await eventually(async () => expect(await mintAgain.isDisabled()).toBe(true));
    await eventually(async () => {
      expect((await call('GET', `${desk.url}/api/v1/client/session`, { key })).status).toBe(401);
    });
  });

  it('creates a successor of a key', async () => {
    await desk.open('/keys');
    const key = await mint('rotated', ['tasks:read']);
    await desk.page.getByRole('button', { name: 'I have stored it' }).click();
    await desk.page.getByRole('button', { name: 'Rotate rotated' }).click();
    await desk.page.getByLabel('The old key stays valid for').selectOption('an hour');
    await desk.page.getByRole('button', { name: 'Rotate the key' }).click();
    const successor = await desk.page.getByRole('dialog').getByLabel('API key').inputValue();
    expect(successor).not.toBe(key);
    await desk.page.getByRole('button', { name: 'I have stored it' }).click();
    await eventually(async () => expect(await rowOf('rotated').count()).toBe(2));
  });

  it('says which scope it takes', async () => {
    await desk.open('/keys');
    const key = await mint('reader', ['agents:read']);
    await desk.page.getByRole('button', { name: 'I have stored it' }).click();
    await desk.page.getByRole('button', { name: 'Sign out' }).click();
    await desk.visitor.signIn(key);
    await desk.page.getByText('This takes the scope admin: your key has agents:read.').waitFor();
    expect(await desk.page.getByRole('button', { name: 'New key' }).isDisabled()).toBe(true);
    expect(await desk.visitor.accessibilityFaults()).toEqual([]);
  });

  it('returns to the sign-in, and says why, when the key was revoked', async () => {
    await desk.open('/keys');
    const key = await mint('second admin', ['admin']);
    await desk.page.getByRole('button', { name: 'I have stored it' }).click();
    await desk.page.getByRole('button', { name: 'Sign out' }).click();
    await desk.visitor.signIn(key);
    await rowOf('second admin').waitFor();
    const { body } = await call('GET', `${desk.url}/api/v1/client/session`, { key });
    const { key_id } = body as { readonly key_id: string };
    const keys = `${desk.url}/console/platform/api/v1/auth/keys`;
    expect((await call('DELETE', `${keys}/${key_id}`, { key: desk.platform.adminKey, unchecked: true })).status).toBe(
      204,
    );
    await eventually(async () => {
      expect((await call('GET', `${desk.url}/api/v1/client/session`, { key })).status).toBe(401);
    });
    await desk.page.reload();
    await desk.page.getByText('The key of the last session is not accepted any more.').waitFor();
  });

  it('is opened in another tab without a new sign-in, and all tabs are signed out together', async () => {
    await desk.open('/keys');
    await desk.page.getByRole('heading', { name: 'API keys' }).waitFor();
    const other = await desk.page.context().newPage();
    await other.goto(`${desk.url}/console/keys`);
    await other.getByRole('heading', { name: 'API keys' }).waitFor();
    await desk.page.getByRole('button', { name: 'Sign out' }).click();
    await other.getByText('You signed out in another tab.').waitFor();
  });
});
