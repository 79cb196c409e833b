import { describe, expect, it } from '@jest/globals';
import { checkConfig, ConfigError, describeConfig, EnvVar, loadConfig } from './env-var.js';
import { address, integer } from './parsers.js';

class Sample {
  @EnvVar('SAMPLE_URL', address(['redis']), { doc: 'Where it is.' })
  readonly url!: string;

  @EnvVar('SAMPLE_SIZE', integer({ min: 1, max: 9 }), { default: 3, doc: 'How much.' })
  readonly size!: number;
}

describe('configuration', () => {
  it('takes defaults for what is unset or empty', () => {
    expect(loadConfig(Sample, { SAMPLE_URL: 'redis://h:1', SAMPLE_SIZE: '' })).toEqual({ url: 'redis://h:1', size: 3 });
  });

  it('names every wrong or missing variable and what is expected, all at once', () => {
    const faults = faultsOf({ SAMPLE_SIZE: 'many' });
    expect(faults).toEqual([
      'SAMPLE_URL is missing: Where it is.',
      'SAMPLE_SIZE: expected a whole number from 1 to 9, got "many"',
    ]);
  });

  it('does not repeat an address that may hold a password', () => {
    expect(faultsOf({ SAMPLE_URL: 'http://user:hunter2@h' }).join()).not.toContain('hunter2');
  });

  it('describes each variable for .env.example', () => {
    expect(describeConfig(Sample)[1]).toEqual({
      variable: 'SAMPLE_SIZE',
      doc: 'How much.',
      required: false,
      default: 3,
    });
  });
});

function faultsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    checkConfig([Sample], env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
  }
  return [];
}
