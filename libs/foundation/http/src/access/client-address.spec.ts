import { describe, expect, it } from '@jest/globals';
import { clientAddressOf, limitedAddress } from './client-address.js';

describe('limitedAddress', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('of %s is %s', (address, limited) => {
    expect(limitedAddress(address)).toBe(limited);
  });
});

describe('clientAddressOf', () => {
  it('returns the address that Express determined with the trusted proxies', () => {
    expect(clientAddressOf({ ip: '198.51.100.1' })).toBe('198.51.100.1');
  });
});
