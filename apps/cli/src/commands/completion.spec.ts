import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandContext } from '../context.js';
import { Terminal } from '../terminal.js';
import { candidatesFor } from './completion.js';

const program = new Command('agentctl').option('--profile <name>');
const jobs = program.command('jobs');
jobs.command('list').addOption(new Option('-o, --output <format>').choices(['table', 'json']));
jobs.command('trigger').option('--follow');
jobs.command('delete <job...>');
program
  .command('run')
  .addArgument(new Argument('<kind>').choices(['agent', 'team']))
  .argument('<name>');
const profiles = program.command('profiles');
profiles.command('use <profile>');
program.command('__hidden', { hidden: true });

let home: string;
/** Commands of a user without a profile, or with one whose platform is at this address. */
function contextAt(url?: string): CommandContext {
  const env = url === undefined ? {} : { AGENTCTL_URL: url, AGENTCTL_API_KEY: 'ak_1' };
  return new CommandContext(new Terminal({ HOME: home, ...env }, process));
}
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'agentctl-'));
});
afterAll(() => rmSync(home, { recursive: true }));

describe('candidates for the last word', () => {
  it.each([
    [['j'], ['jobs']],
    [
      ['jobs', ''],
      ['list', 'trigger', 'delete'],
    ],
    [['--profile', 'staging', 'jobs', 'tr'], ['trigger']],
    [['jobs', '--profile', 'staging', 'tr'], ['trigger']],
    [['jobs', 'trigger', '--'], ['--follow']],
    [
      ['jobs', 'list', '--output', ''],
      ['table', 'json'],
    ],
    [['jobs', 'list', '-o', 'j'], ['json']],
    [['--profile', ''], []],
    [['__'], []],
    [['unknown', 'x'], []],
    [
      ['run', ''],
      ['agent', 'team'],
    ],
    [['run', 'agent', ''], []],
    [['jobs', 'delete', ''], []],
  ])('of %j are %j without a platform', async (words, candidates) => {
    const found = await candidatesFor(program, words, contextAt());
    expect(found.filter((name) => name !== 'help')).toEqual(candidates);
  });

  it('are the names of the profiles', async () => {
    const context = contextAt();
    const profile = { control_plane_url: 'http://127.0.0.1', platform_api_url: null, api_key: 'ak_1' };
    context.profiles.write({ current: 'staging', profiles: { staging: profile, production: profile } });
    expect(await candidatesFor(program, ['--profile', 'st'], context)).toEqual(['staging']);
    expect(await candidatesFor(program, ['profiles', 'use', ''], context)).toEqual(['staging', 'production']);
    rmSync(context.profiles.file);
  });

  describe('from a platform', () => {
    const names = ['greet', 'greet-all', 'two words', '$(reboot)', '-o', 'report'];
    const requests: (string | undefined)[] = [];
    let server: Server;
    let context: CommandContext;

    beforeAll(async () => {
      server = createServer(({ url, headers }, response) => {
        requests.push(`${url} ${headers.authorization}`);
        // Never answers for teams.
        if (url?.startsWith('/api/v1/teams') === true) return;
        const isKnown = url?.startsWith('/api/v1/jobs') === true;
        response.writeHead(isKnown ? 200 : 403, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify(names.map((name) => ({ id: '1', name }))));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      context = contextAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
    afterAll(() => {
      server.closeAllConnections();
      server.close();
    });

    it('are names that need no quotes, without those that are given', async () => {
      expect(await candidatesFor(program, ['jobs', 'delete', ''], context)).toEqual(['greet', 'greet-all', 'report']);
      expect(await candidatesFor(program, ['jobs', 'delete', 'greet', 'g'], context)).toEqual(['greet-all']);
      expect(requests.at(-1)).toBe('/api/v1/jobs?limit=100 Bearer ak_1');
    });

    it('are none if the platform refuses, or does not answer in time', async () => {
      expect(await candidatesFor(program, ['run', 'agent', ''], context)).toEqual([]);
      expect(requests.at(-1)).toContain('/api/v1/agents');
      expect(await candidatesFor(program, ['run', 'team', ''], context)).toEqual([]);
      expect(requests.at(-1)).toContain('/api/v1/teams');
    });
  });
});
