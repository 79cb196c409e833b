import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { describe, expect, it } from '@jest/globals';
import { projectRoot } from '../provision/project-root.js';
import { repeatablePostsOf } from './repeatable-posts.js';

/** A repetition of each of these creates, records or leases something else. */
const UNREPEATABLE = {
  'control-plane': [
    '/api/v1/executions/{execution_id}/stream-ticket',
    '/api/v1/policies/check-authorization/{entity_type}/{entity_id}',
    '/api/v1/policies/evaluate/{entity_type}/{entity_id}',
    '/api/v1/workers/{worker_id}/poll',
  ],
  'platform-api': ['/api/v1/auth/keys', '/api/v1/auth/keys/{key_id}/rotate'],
};

describe('repeatablePostsOf', () => {
  it.each(['control-plane', 'platform-api'] as const)('contains all repeatable POSTs of the %s', (name) => {
    const document = JSON.parse(
      readFileSync(join(projectRoot, 'docs/openapi', `${name}.json`), 'utf8'),
    ) as OpenAPIObject;
    const posts = Object.keys(document.paths).filter((path) => document.paths[path]?.post !== undefined);
    const repeatable = new Set(repeatablePostsOf(document));
    expect(posts.filter((path) => !repeatable.has(path)).toSorted()).toEqual(UNREPEATABLE[name]);
  });
});
