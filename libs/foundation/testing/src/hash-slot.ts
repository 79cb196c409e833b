const SLOTS = 16_384;
const POLYNOMIAL = 0x1021;

/** Returns the slot of a key in a Redis Cluster: CRC16 (XMODEM) of its hash tag, or of the key if it has none. */
export function slotOf(key: string | Buffer): number {
  const bytes = Buffer.from(key as Buffer);
  const open = bytes.indexOf('{');
  const close = open < 0 ? -1 : bytes.indexOf('}', open);
  return crc16(close > open + 1 ? bytes.subarray(open + 1, close) : bytes) % SLOTS;
}

function crc16(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ (crc & 0x8000 ? POLYNOMIAL : 0)) & 0xffff;
  }
  return crc;
}
