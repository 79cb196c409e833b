import { describe, expect, it } from '@jest/globals';
import { parseCommandLine, UsageError } from './command-line.js';

describe('the command line of the admin tool', () => {
  it('reads create-org', () => {
    expect(parseCommandLine(['create-org', '--name', 'acme'])).toEqual({
      name: 'create-org',
      organizationName: 'acme',
    });
  });

  it('reads create-key, with the organization under either name', () => {
    const rest = ['--name', 'worker', '--scopes', 'runners:manage, tasks:execute', '--expires-at=2030-01-01T00:00:00Z'];
    for (const option of ['--org', '--organization']) {
      expect(parseCommandLine(['create-key', option, 'acme', ...rest])).toEqual({
        name: 'create-key',
        organization: 'acme',
        keyName: 'worker',
        scopes: ['runners:manage', 'tasks:execute'],
        expiresAt: new Date('2030-01-01T00:00:00Z'),
      });
    }
  });

  it('makes a key without expiry where none is given', () => {
    const command = parseCommandLine(['create-key', '--org', 'a', '--name', 'b', '--scopes', 'admin']);
    expect(command).toMatchObject({ expiresAt: null });
  });

  it.each([[['--help']], [['-h']], [['help']], [['create-org', '--help']]])('shows its usage for %j', (args) => {
    expect(parseCommandLine(args)).toBe('help');
  });

  it.each([
    [[], 'Name a command'],
    [['make-org'], 'no command "make-org"'],
    [['create-org'], 'needs --name'],
    [['create-org', '--name', ' '], 'needs --name'],
    [['create-org', '--name'], "'--name <value>' argument missing"],
    [['create-org', 'acme'], 'Unexpected argument: acme'],
    [['create-org', '--name', 'acme', '--scopes', 'admin'], 'no option --scopes'],
    [['create-org', '--title', 'acme'], "Unknown option '--title'"],
    [['create-key', '--org', 'acme', '--name', 'x'], 'needs --scopes'],
    [
      ['create-key', '--org', 'a', '--name', 'x', '--scopes', 'admin', '--expires-at', 'soon'],
      'no ISO 8601 time: soon',
    ],
  ])('refuses %j', (args, message) => {
    expect(() => parseCommandLine(args)).toThrow(UsageError);
    expect(() => parseCommandLine(args)).toThrow(message);
  });
});
