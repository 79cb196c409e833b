import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { normalizeUrl, ProfileStore, type Profile } from './profiles.js';

const profile = (name: string): Profile => ({
  control_plane_url: `https://${name}.example`,
  platform_api_url: null,
  api_key: `key of ${name}`,
});

describe('profiles', () => {
  let folder: string;
  let store: ProfileStore;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'profiles-'));
    store = new ProfileStore({ XDG_CONFIG_HOME: folder });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are stored in a file that only its owner can read, even if it replaces a file that others could read', () => {
    store.write({ current: 'a', profiles: { a: profile('a') } });
    writeFileSync(store.file, '{}', { mode: 0o644 });
    store.write({ current: 'b', profiles: { a: profile('a'), b: profile('b') } });
    expect(statSync(store.file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'agentctl'))).toEqual(['profiles.json']);
    expect(store.read()).toEqual({ current: 'b', profiles: { a: profile('a'), b: profile('b') } });
  });

  it('are selected by name, else by environment variables, else by the current profile', () => {
    store.write({ current: 'a', profiles: { a: profile('a'), b: profile('b') } });
    const env = { AGENTCTL_URL: 'http://127.0.0.1:3000/', AGENTCTL_API_KEY: 'given' };
    expect(store.select(undefined, {})).toEqual(profile('a'));
    expect(store.select(undefined, { AGENTCTL_PROFILE: 'b' })).toEqual(profile('b'));
    expect(store.select('a', { ...env, AGENTCTL_PROFILE: 'b' })).toEqual(profile('a'));
    expect(store.select(undefined, { ...env, AGENTCTL_PROFILE: 'b' })).toEqual({
      control_plane_url: 'http://127.0.0.1:3000',
      platform_api_url: null,
      api_key: 'given',
    });
  });

  it('leave another profile in use when the one in use is removed', () => {
    const [a, b, standard] = [profile('a'), profile('b'), profile('default')];
    store.write({ current: 'a', profiles: { b, a, default: standard } });
    expect(store.remove('b')).toBe('a');
    expect(store.read()).toEqual({ current: 'a', profiles: { a, default: standard } });
    expect(store.remove('a')).toBe('default');
    expect(store.select(undefined, {})).toEqual(standard);
    store.write({ current: 'default', profiles: { b, default: standard } });
    expect(store.remove('default')).toBe('b');
    expect(store.select(undefined, {})).toEqual(b);
    expect(store.remove('b')).toBeNull();
    expect(store.read()).toEqual({ current: 'default', profiles: {} });
  });

  it('never use a key with an address for which it was not given', () => {
    store.write({ current: 'a', profiles: { a: profile('a') } });
    expect(() => store.select(undefined, { AGENTCTL_URL: 'http://other.example' })).toThrow('AGENTCTL_API_KEY');
    expect(() => store.select(undefined, { AGENTCTL_API_KEY: 'given' })).toThrow('AGENTCTL_URL');
  });

  it('that are missing or broken lead to an error that says what to do', () => {
    const failure = (): unknown => {
      try {
        return store.select('__proto__', {});
      } catch (error) {
        return error;
      }
    };
    expect(failure()).toMatchObject({ exitCode: 78, advice: expect.stringContaining('agentctl login') });
    store.write({ current: 'a', profiles: { a: profile('a') } });
    expect(failure()).toMatchObject({ exitCode: 78, message: expect.stringContaining('Profiles: a.') });
    writeFileSync(store.file, '{"profiles": {"a": {}}}');
    expect(failure()).toMatchObject({ exitCode: 78, message: expect.stringContaining(store.file) });
  });
});

describe('addresses', () => {
  it.each([
    ['http://127.0.0.1:3000/', 'http://127.0.0.1:3000'],
    ['https://platform.example/api/v1/', 'https://platform.example'],
    ['https://platform.example/agents/api', 'https://platform.example/agents'],
    ['https://platform.example?x=1#y', 'https://platform.example'],
  ])('%s is used as %s', (given, used) => {
    expect(normalizeUrl(given)).toBe(used);
  });

  it.each(['platform.example', 'ftp://platform.example', 'localhost:3000', ''])('%s is not an address', (given) => {
    expect(() => normalizeUrl(given)).toThrow('Not an address');
  });
});
