import type { ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/** Remarks on a request that succeeded, for people. */
export const NOTICE_HEADER = 'X-Notice';

const MAX_LENGTH = 1000;
/** Characters that a header may contain. */
const PRINTABLE = /^[\x20-\x7e]{1,100}$/;

/** Returns whether a name can be repeated in a notice. */
export function isPrintable(name: string): boolean {
  return PRINTABLE.test(name) && name.trim() === name;
}

/**
 * Adds a notice to those that the response already has. Characters that a header cannot contain become `?`: names that
 * are repeated should be checked with `isPrintable`, unless the rest of the notice is useful without them.
 */
export function addNotice(response: ServerResponse, notice: string): void {
  const present = response.getHeader(NOTICE_HEADER);
  const printable = notice.replaceAll(/[^\x20-\x7e]/g, '?');
  const all = typeof present === 'string' ? `${present}; ${printable}` : printable;
  response.setHeader(NOTICE_HEADER, all.length > MAX_LENGTH ? `${all.slice(0, MAX_LENGTH - 3)}...` : all);
}

/** A function that adds a notice to the response, for handlers that find out themselves what is to be said. */
export const Notify = createParamDecorator(
  (_data: unknown, context: ExecutionContext) =>
    (notice: string): void =>
      addNotice(context.switchToHttp().getResponse<ServerResponse>(), notice),
);
