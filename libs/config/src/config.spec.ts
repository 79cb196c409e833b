import { describe, expect, it } from '@jest/globals';
import { checkConfig, ConfigError, describeConfig, EnvVar, loadConfig } from './env-var.js';
import { address, headerSecret, integer, origin, webOrigins } from './parsers.js';

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

  it('takes the address of a server alone where paths are added to it', () => {
    const parse = origin(['http', 'https']);
    expect(parse('http://h:3000/')).toBe('http://h:3000');
    for (const wrong of ['http://h:3000/api/v1', 'http://h/?a=1', 'http://h/#a']) {
      expect(() => parse(wrong)).toThrow('without a path such as /api/v1');
    }
  });

  it('refuses a secret that no header can carry, without repeating it', () => {
    const parse = headerSecret();
    expect(parse('ak_x y~')).toBe('ak_x y~');
    for (const wrong of ['ak_…', 'ak_é', 'ak_ ', ' ak', 'ak_\n']) {
      expect(() => parse(wrong)).toThrow(/^has a character that no header can carry [^…]*$/);
    }
  });

  it('takes origins as browsers write them, and nothing else for one', () => {
    expect(webOrigins('https://App.example.com:443/, http://localhost:5173,*')).toEqual([
      'https://app.example.com',
      'http://localhost:5173',
      '*',
    ]);
    for (const wrong of ['app.example.com', 'https://app.example.com/console', 'file:///tmp', 'https://a,,https://b']) {
      expect(() => webOrigins(wrong)).toThrow('expected');
    }
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
