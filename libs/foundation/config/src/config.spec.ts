import { describe, expect, it } from '@jest/globals';
import { checkConfig, ConfigError, describeConfig, EnvVar, loadConfig } from './env-var.js';
import { address, headerSecret, integer, origin, trustedProxies, webOrigins } from './parsers.js';

class Sample {
  @EnvVar('SAMPLE_URL', address(['redis']), { doc: 'URL of the sample.' })
  readonly url!: string;

  @EnvVar('SAMPLE_SIZE', integer({ min: 1, max: 9 }), { default: 3, doc: 'Size of the sample.' })
  readonly size!: number;
}

describe('configuration', () => {
  it('uses the default for an unset or empty variable', () => {
    expect(loadConfig(Sample, { SAMPLE_URL: 'redis://h:1', SAMPLE_SIZE: '' })).toEqual({ url: 'redis://h:1', size: 3 });
  });

  it('reports every invalid or missing variable with the expected value', () => {
    const faults = faultsOf({ SAMPLE_SIZE: 'many' });
    expect(faults).toEqual([
      'SAMPLE_URL is missing: URL of the sample.',
      'SAMPLE_SIZE: expected a whole number from 1 to 9, got "many"',
    ]);
  });

  it('does not repeat a URL that may contain a password', () => {
    expect(faultsOf({ SAMPLE_URL: 'http://user:hunter2@h' }).join()).not.toContain('hunter2');
  });

  it('accepts a server URL only without path, query and fragment', () => {
    const parse = origin(['http', 'https']);
    expect(parse('http://h:3000/')).toBe('http://h:3000');
    for (const wrong of ['http://h:3000/api/v1', 'http://h/?a=1', 'http://h/#a']) {
      expect(() => parse(wrong)).toThrow('without a path such as /api/v1');
    }
  });

  it('accepts a number of proxies, or their addresses and networks', () => {
    expect(trustedProxies('2')).toBe(2);
    const list = '10.0.0.0/8, 192.0.2.1,fd00::/8,::1,loopback';
    expect(trustedProxies(list)).toEqual(['10.0.0.0/8', '192.0.2.1', 'fd00::/8', '::1', 'loopback']);
    for (const wrong of ['true', '11', '10.0.0.0/33', '10.0.0.0/0', '10.0.0.1/', 'proxy.example', '10.0.0.1,,']) {
      expect(() => trustedProxies(wrong)).toThrow('expected');
    }
  });

  it('rejects a secret that is not allowed in a header, without repeating it', () => {
    const parse = headerSecret();
    expect(parse('ak_x y~')).toBe('ak_x y~');
    for (const wrong of ['ak_…', 'ak_é', 'ak_ ', ' ak', 'ak_\n']) {
      expect(() => parse(wrong)).toThrow(/^contains a character that is not allowed in a header [^…]*$/);
    }
  });

  it('normalizes origins and rejects anything else', () => {
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
      doc: 'Size of the sample.',
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
