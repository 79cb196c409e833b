import { describe, expect, it } from '@jest/globals';
import { resolveVariables } from './execution-environment.js';

describe('the variables of an execution', () => {
  it('come from every layer, the later one winning', () => {
    const environment = { env_vars: { REGION: 'eu', LEVEL: 'info' } };
    const agent = { env_vars: { LEVEL: 'debug' }, secrets: ['TOKEN'] };
    expect(resolveVariables([environment, agent])).toEqual({ REGION: 'eu', LEVEL: 'debug' });
  });

  it('are texts: other values go in as JSON', () => {
    expect(resolveVariables([{ env_vars: { N: 1, ON: true, LIST: [1, 'a'] } }])).toEqual({
      N: '1',
      ON: 'true',
      LIST: '[1,"a"]',
    });
  });

  it('are taken away again by a null of a later layer', () => {
    expect(resolveVariables([{ env_vars: { A: 'x' } }, { env_vars: { A: null } }])).toEqual({});
  });

  it('are none where a layer has nothing of the kind', () => {
    expect(resolveVariables([{}, { env_vars: ['A=1'] }, { env_vars: 'A=1' }])).toEqual({});
  });
});
