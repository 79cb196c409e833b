import { describe, expect, it } from '@jest/globals';
import { parseCommandLine, UsageError } from './command-line.js';

describe('parseCommandLine', () => {
  it('parses create-org', () => {
    expect(parseCommandLine(['create-org', '--name', 'acme'])).toEqual({
      name: 'create-org',
      organizationName: 'acme',
      owner: null,
    });
    const owned = ['create-org', '--name', 'acme', '--owner-email', 'ada@acme.test'];
    expect(parseCommandLine([...owned, '--owner-name', 'Ada'])).toMatchObject({
      owner: { name: 'Ada', email: 'ada@acme.test' },
    });
    expect(parseCommandLine(owned)).toMatchObject({ owner: { name: 'ada@acme.test', email: 'ada@acme.test' } });
  });

  it('parses the commands of users', () => {
    expect(parseCommandLine(['create-user', '--org', 'acme', '--name', 'bot'])).toEqual({
      ...{ name: 'create-user', organization: 'acme', user: { name: 'bot', email: null } },
    });
    expect(parseCommandLine(['list-users', '--org', 'acme'])).toEqual({ name: 'list-users', organization: 'acme' });
    for (const name of ['suspend-user', 'activate-user']) {
      expect(parseCommandLine([name, '--org', 'acme', '--user', 'ada@acme.test'])).toEqual({
        ...{ name, organization: 'acme', user: 'ada@acme.test' },
      });
    }
  });

  it('parses create-key with --org or --organization', () => {
    const rest = ['--name', 'worker', '--scopes', 'runners:manage, tasks:execute', '--expires-at=2030-01-01T00:00:00Z'];
    for (const option of ['--org', '--organization']) {
      expect(parseCommandLine(['create-key', option, 'acme', ...rest])).toEqual({
        name: 'create-key',
        organization: 'acme',
        keyName: 'worker',
        scopes: ['runners:manage', 'tasks:execute'],
        expiresAt: new Date('2030-01-01T00:00:00Z'),
        user: null,
      });
    }
  });

  it('parses list-keys and revoke-key', () => {
    expect(parseCommandLine(['list-keys', '--org', 'acme'])).toEqual({ name: 'list-keys', organization: 'acme' });
    expect(parseCommandLine(['revoke-key', '--org', 'acme', '--key', 'key_1'])).toEqual({
      name: 'revoke-key',
      organization: 'acme',
      keyId: 'key_1',
    });
  });

  it('creates a key without expiry by default', () => {
    const command = parseCommandLine(['create-key', '--org', 'a', '--name', 'b', '--scopes', 'admin']);
    expect(command).toMatchObject({ expiresAt: null });
  });

  it.each([[['--help']], [['-h']], [['help']], [['create-org', '--help']]])('returns help for %j', (args) => {
    expect(parseCommandLine(args)).toBe('help');
  });

  it.each([
    [[], 'Expected a command'],
    [['make-org'], 'Unknown command "make-org"'],
    [['create-org'], 'requires --name'],
    [['create-org', '--name', ' '], 'requires --name'],
    [['create-org', '--name'], "'--name <value>' argument missing"],
    [['create-org', 'acme'], 'Unexpected argument: acme'],
    [['create-org', '--name', 'acme', '--scopes', 'admin'], 'no option --scopes'],
    [['create-org', '--title', 'acme'], "Unknown option '--title'"],
    [['create-org', '--name', 'acme', '--owner-email', 'ada'], 'not an e-mail address: ada'],
    [['create-user', '--org', 'acme'], 'requires --email or --name'],
    [['create-user', '--org', 'acme', '--name', ' '], 'name of the user is empty'],
    [['suspend-user', '--org', 'acme'], 'requires --user'],
    [['create-key', '--org', 'acme', '--name', 'x', '--scopes', 'admin', '--user', ''], 'requires --user'],
    [['create-key', '--org', 'acme', '--name', 'x'], 'requires --scopes'],
    [
      ['create-key', '--org', 'a', '--name', 'x', '--scopes', 'admin', '--expires-at', 'soon'],
      'not an ISO 8601 time: soon',
    ],
  ])('rejects %j', (args, message) => {
    expect(() => parseCommandLine(args)).toThrow(UsageError);
    expect(() => parseCommandLine(args)).toThrow(message);
  });
});
