import { describe, expect, it } from '@jest/globals';
import type { ControlPlaneConfig } from '@app/config';
import type { HttpAdapterHost } from '@nestjs/core';
import { PublicAddress } from './public-address.js';

describe('PublicAddress', () => {
  const urlOf = (config: Partial<ControlPlaneConfig>, listening: number | null): string => {
    const server = { address: () => (listening === null ? null : { port: listening }) };
    const adapterHost = { httpAdapter: { getHttpServer: () => server } } as unknown as HttpAdapterHost;
    return new PublicAddress({ publicUrl: null, ...config } as ControlPlaneConfig, adapterHost, { maxConnections: 1 })
      .url;
  };

  it('is PUBLIC_URL if configured', () => {
    expect(urlOf({ publicUrl: 'https://platform.example', host: '::', port: 3000 }, 3000)).toBe(
      'https://platform.example',
    );
  });

  it('is the listening address otherwise, also with IPv6 and with port 0', () => {
    expect(urlOf({ host: '::1', port: 3000 }, null)).toBe('http://[::1]:3000');
    expect(urlOf({ host: '0.0.0.0', port: 0 }, 4321)).toBe('http://127.0.0.1:4321');
  });
});
