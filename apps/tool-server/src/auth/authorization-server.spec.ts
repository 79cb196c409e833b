import { describe, expect, it } from '@jest/globals';
import { discoveryUrl } from './authorization-server.js';

describe('discoveryUrl', () => {
  it.each([
    ['https://id.example.com', 'oidc', 'https://id.example.com/.well-known/openid-configuration'],
    ['https://id.example.com/realms/a/', 'oidc', 'https://id.example.com/realms/a/.well-known/openid-configuration'],
    ['https://id.example.com', 'oauth', 'https://id.example.com/.well-known/oauth-authorization-server'],
    [
      'https://id.example.com/realms/a',
      'oauth',
      'https://id.example.com/.well-known/oauth-authorization-server/realms/a',
    ],
  ] as const)('of the issuer %s (%s) is %s', (issuer, type, url) => expect(discoveryUrl(issuer, type)).toBe(url));
});
