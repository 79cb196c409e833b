import { describe, expect, it } from '@jest/globals';
import { commandRuntimes } from './command-settings.js';

describe('the setting that maps runtimes to commands', () => {
  it('reads a command, its arguments and the names of its variables', () => {
    const text = '{"acme_code": {"command": "acme", "args": ["-p"], "env": ["ACME_KEY"]}, "b_code": {"command": "b"}}';
    expect(commandRuntimes(text)).toEqual([
      { name: 'acme_code', command: 'acme', args: ['-p'], variables: ['ACME_KEY'] },
      { name: 'b_code', command: 'b', args: [], variables: [] },
    ]);
  });

  it.each([
    ['acme_code=acme', /a JSON object that maps runtime ids to commands/],
    ['[]', /a JSON object that maps runtime ids to commands/],
    ['{"default": {"command": "acme"}}', /runtime ids such as vendor_code, got "default"/],
    ['{"acme_code": "acme"}', /an object for acme_code/],
    ['{"acme_code": {}}', /acme_code needs a command/],
    ['{"acme_code": {"command": "acme", "arguments": ["hush"]}}', /unknown key arguments; known: command, args, env/],
    ['{"acme_code": {"command": "acme", "args": "-p"}}', /args of acme_code must be a list of texts/],
    ['{"acme_code": {"command": "acme", "env": [1]}}', /env of acme_code must be a list of names of variables/],
  ])('rejects %s', (text, reason) => {
    expect(() => commandRuntimes(text)).toThrow(reason);
  });
});
