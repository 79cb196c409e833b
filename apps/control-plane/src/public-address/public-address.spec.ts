import { describe, expect, it } from '@jest/globals';
import type { ControlPlaneConfig } from '@app/config';
import type { HttpAdapterHost } from '@nestjs/core';
import { PublicAddress } from './public-address.js';

describe('the address that clients are told', () => {
  const told = (config: Partial<ControlPlaneConfig>, listening: number | null): string => {
    const server = { address: () => (listening === null ? null : { port: listening }) };
    const adapterHost = { httpAdapter: { getHttpServer: () => server } } as unknown as HttpAdapterHost;
    return new PublicAddress({ publicUrl: null, ...config } as ControlPlaneConfig, adapterHost).url;
  };

  it('is the one that is configured, wherever it listens', () => {
    expect(told({ publicUrl: 'https://platform.example', host: '::', port: 3000 }, 3000)).toBe(
      'https://platform.example',
    );
  });

  it('is else where it listens, also on IPv6 and on any free port', () => {
    expect(told({ host: '::1', port: 3000 }, null)).toBe('http://[::1]:3000');
    expect(told({ host: '0.0.0.0', port: 0 }, 4321)).toBe('http://127.0.0.1:4321');
  });
});
