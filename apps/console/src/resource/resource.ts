import type { UseQueryOptions } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import type { Form } from '../api/form';
import type { PageQuery } from '../api/keyset';
import type { KeyScope, Session } from '../session/session';
import type { CommandLine } from '../ui/command-lines';
import type { Fact } from '../ui/facts';
import type { Option } from '../ui/select-field';
import type { Values } from './form-values';

/** Addresses of the lists of resources. */
export const RESOURCE_PATHS = [
  '/agents',
  '/decisions',
  '/environments',
  '/integrations',
  '/jobs',
  '/knowledge',
  '/models',
  '/policies',
  '/projects',
  '/queues',
  '/secrets',
  '/skills',
  '/teams',
  '/users',
  '/webhooks',
  '/workers',
  '/workflows',
] as const;
export type ResourcePath = (typeof RESOURCE_PATHS)[number];

/** Things of one kind that people make, look at, change and delete in the console. */
export interface Resource<Row extends Values> {
  /** Address of the list. That of one is below it. */
  readonly path: ResourcePath;
  /** What it is called in a sentence: `project`, `projects`. */
  readonly one: string;
  readonly many: string;
  /** What it is for, in a sentence or two. */
  readonly purpose: string;
  readonly readScope: KeyScope | 'any';
  readonly columns: readonly Column<Row>[];
  readonly nameOf: (row: Row) => string;
  readonly idOf: (row: Row) => string;

  /** Requests a page of the list. */
  readonly list: (session: Session, query: PageQuery, signal: AbortSignal) => ListCall<Row>;
  readonly read: (session: Session, id: string, signal: AbortSignal) => Promise<Row>;
  /** Absent: it cannot be made here. */
  readonly create?: Creation<Row>;
  /** Absent: people do not change it. */
  readonly update?: Change<Row>;
  /** Absent: people do not delete it. */
  readonly removal?: Removal;

  readonly view?: FormView;
  /** What the form shows of a stored one. Absent: its fields. */
  readonly valuesOf?: (row: Row) => Values;
  /** What a new one can start from, besides nothing. */
  readonly starts?: readonly Start[];
  /** What its page says besides the values of the form. */
  readonly factsOf?: (row: Row) => readonly Fact[];
  /** What its page offers besides, above the values. */
  readonly Parts?: ComponentType<{ readonly row: Row }>;
  /** What its page does not do, and the commands for it. */
  readonly commandsOf?: (row: Row) => readonly CommandLine[];
  /** What the list does not do. */
  readonly listCommands?: readonly CommandLine[];
  /** A secret that the answer to a creation contains, and no later one. */
  readonly secretOf?: (row: Row) => Secret | null;
}

export interface Column<Row> {
  readonly label: string;
  readonly cell: (row: Row) => ReactNode;
}

export type ListCall<Row> = Promise<{ data?: Row[]; error?: unknown; response: Response }>;

export interface Removal {
  readonly scope: string;
  /** What happens then, in a sentence. */
  readonly effect: string;
  readonly send: (session: Session, id: string) => Promise<unknown>;
}

export interface Creation<Row> {
  readonly form: Form<unknown>;
  readonly send: (session: Session, body: unknown) => Promise<Row>;
}

export interface Change<Row> {
  readonly form: Form<unknown>;
  /** `tag`: what the thing had when it was read; absent if the API gives it none. */
  readonly send: (session: Session, id: string, body: unknown, tag?: string) => Promise<Row>;
}

/** Ties the form of a body to the request that sends it. */
export function creation<Body, Row>(
  form: Form<Body>,
  send: (session: Session, body: Body) => Promise<Row>,
): Creation<Row> {
  return { form, send: (session, body) => send(session, body as Body) };
}

export function change<Body, Row>(
  form: Form<Body>,
  send: (session: Session, id: string, body: Body, tag?: string) => Promise<Row>,
): Change<Row> {
  return { form, send: (session, id, body, tag) => send(session, id, body as Body, tag) };
}

/** How the form of a resource differs from what the API says about its body. */
export interface FormView {
  /** Fields that few people need: they are folded. */
  readonly folded?: readonly string[];
  /** Fields whose values are things of the organization, with the query of what can be chosen. */
  readonly choices?: Readonly<Record<string, ChoicesQuery>>;
}

/** Null: there are too many to choose from, and the id is typed. */
export type Choices = readonly Option[] | null;
export type ChoicesQuery = (session: Session) => UseQueryOptions<Choices, Error, Choices, string[]>;

export interface Start {
  readonly label: string;
  readonly values: Values;
}

export interface Secret {
  readonly title: string;
  /** What it is, in a word or two. */
  readonly label: string;
  readonly value: string;
}
