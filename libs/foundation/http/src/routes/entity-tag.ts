import type { IncomingMessage, ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { LocatedFault } from '../errors/invalid-request.js';
import { describedMethod } from './described-method.js';

/** The header of a response with the tag of what it shows. */
export const ENTITY_TAG_HEADER = 'ETag';
/** The header of a request that may change only what has one of these tags. */
export const IF_MATCH_HEADER = 'If-Match';

/** Returns the strong tag of a version (RFC 9110, section 8.8.3). */
export function toEntityTag(version: string): string {
  return `"${version}"`;
}

const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
/** Stands for a tag; no header contains it. */
const A_TAG = '\0';

/** Returns the faults of the `If-Match` of a request. */
export function ifMatchFaults({ headers: { 'if-match': header } }: Pick<IncomingMessage, 'headers'>): LocatedFault[] {
  if (header === undefined || header.trim() === '*' || isListOfTags(header)) return [];
  const msg = 'If-Match should be * or a list of entity tags, which are in double quotes';
  return [{ loc: ['header', IF_MATCH_HEADER], msg, type: 'string_pattern_mismatch' }];
}

/** Elements of a list may be empty, but not all of them (RFC 9110, section 5.6.1). */
function isListOfTags(header: string): boolean {
  const elements = header
    .replace(TAG, A_TAG)
    .split(',')
    .map((element) => element.trim());
  return elements.includes(A_TAG) && elements.every((element) => element === '' || element === A_TAG);
}

/** Returns whether an `If-Match` accepts a version. The comparison is strong: weak tags match nothing. */
export function acceptsVersion(ifMatch: string, version: string): boolean {
  return ifMatch.trim() === '*' || tagsOf(ifMatch).includes(toEntityTag(version));
}

/**
 * Sets the `ETag` of the response to a version of what it shows. Returns whether the client has this version
 * (`If-None-Match`): then the handler returns nothing, and the response is 304 without a body.
 */
export type IsKnownVersion = (version: string) => boolean;

const isKnownVersion = createParamDecorator((_data: unknown, context: ExecutionContext): IsKnownVersion => {
  const http = context.switchToHttp();
  const response = http.getResponse<ServerResponse>();
  const known = http.getRequest<IncomingMessage>().headers['if-none-match'];
  return (version) => {
    response.setHeader(ENTITY_TAG_HEADER, toEntityTag(version));
    const isKnown = known !== undefined && (known.trim() === '*' || isAmong(known, version));
    if (isKnown) response.statusCode = 304;
    return isKnown;
  };
});

/** The comparison is weak (RFC 9110, section 13.1.2). */
function isAmong(ifNoneMatch: string, version: string): boolean {
  return tagsOf(ifNoneMatch).some((tag) => tag.replace(/^W\//, '') === toEntityTag(version));
}

/** Tags can contain commas, so a list is not split at them. */
function tagsOf(header: string): string[] {
  return header.match(TAG) ?? [];
}

/** Injects an `IsKnownVersion`. */
export const EntityTag = (): ParameterDecorator => (target, method, index) => {
  isKnownVersion()(target, method, index);
  const described = describedMethod(target, method);
  ApiHeader({
    name: 'If-None-Match',
    required: false,
    description: '`ETag` of an earlier response. If it is still current, the response is 304 without a body',
  })(target, ...described);
  ApiResponse({ status: 304, description: 'The client has the current version' })(target, ...described);
};
