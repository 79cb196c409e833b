import type { ComponentType } from 'react';
import type { Values } from './form-values';
import type { Resource } from './resource';
import { ResourceListPage } from './resource-list.page';
import { ResourcePage } from './resource.page';

/** The components of the two pages of a resource, as routes load them. */
export interface ResourcePages {
  readonly ListPage: ComponentType;
  readonly OnePage: ComponentType;
}

export function pagesOf<Row extends Values>(resource: Resource<Row>): ResourcePages {
  return {
    ListPage: () => <ResourceListPage resource={resource} />,
    OnePage: () => <ResourcePage resource={resource} />,
  };
}
