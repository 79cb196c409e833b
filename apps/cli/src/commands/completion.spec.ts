import { Command, Option } from 'commander';
import { describe, expect, it } from '@jest/globals';
import { candidatesFor } from './completion.js';

const program = new Command('agentctl').option('--profile <name>');
const jobs = program.command('jobs');
jobs.command('list').addOption(new Option('-o, --output <format>').choices(['table', 'json']));
jobs.command('trigger').option('--follow');
program.command('__hidden', { hidden: true });

describe('candidates for the last word', () => {
  it.each([
    [['j'], ['jobs']],
    [
      ['jobs', ''],
      ['list', 'trigger'],
    ],
    [['--profile', 'staging', 'jobs', 'tr'], ['trigger']],
    [['jobs', 'trigger', '--'], ['--follow']],
    [
      ['jobs', 'list', '--output', ''],
      ['table', 'json'],
    ],
    [['jobs', 'list', '-o', 'j'], ['json']],
    [['--profile', ''], []],
    [['__'], []],
    [['unknown', 'x'], []],
  ])('of %j are %j', (words, candidates) => {
    expect(candidatesFor(program, words).filter((name) => name !== 'help')).toEqual(candidates);
  });
});
