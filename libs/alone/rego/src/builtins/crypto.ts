import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { stringOperand } from './operands.js';
import { allocateText } from './strings.js';
import type { Builtin, BuiltinTable } from './types.js';

function hash(algorithm: string): Builtin {
  return {
    arity: 1,
    call: (args, run) => {
      const text = stringOperand(args, 1);
      allocateText(run, text.length);
      return createHash(algorithm).update(text).digest('hex');
    },
  };
}

function hmac(algorithm: string): Builtin {
  return {
    arity: 2,
    call: (args, run) => {
      const text = stringOperand(args, 1);
      allocateText(run, text.length);
      return createHmac(algorithm, stringOperand(args, 2)).update(text).digest('hex');
    },
  };
}

export const cryptoBuiltins: BuiltinTable = {
  'crypto.md5': hash('md5'),
  'crypto.sha1': hash('sha1'),
  'crypto.sha256': hash('sha256'),
  'crypto.hmac.md5': hmac('md5'),
  'crypto.hmac.sha1': hmac('sha1'),
  'crypto.hmac.sha256': hmac('sha256'),
  'crypto.hmac.sha512': hmac('sha512'),
  'crypto.hmac.equal': {
    arity: 2,
    call: (args) => {
      const [left, right] = [Buffer.from(stringOperand(args, 1)), Buffer.from(stringOperand(args, 2))];
      return left.length === right.length && timingSafeEqual(left, right);
    },
  },
};
