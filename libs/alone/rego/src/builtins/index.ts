import { aggregateBuiltins } from './aggregates.js';
import { arrayBuiltins } from './arrays.js';
import { encodingBuiltins } from './encoding.js';
import { globBuiltins } from './glob.js';
import { jsonPatchBuiltins } from './json-patch.js';
import { jsonPathBuiltins } from './json-paths.js';
import { networkBuiltins } from './network.js';
import { regexBuiltins } from './regex.js';
import { cryptoBuiltins } from './crypto.js';
import { timeBuiltins } from './time.js';
import { uuidBuiltins } from './uuid.js';
import { jwtBuiltins } from './jwt.js';
import { jsonSchemaBuiltins } from './json-schema.js';
import { awsBuiltins } from './aws.js';
import { graphqlBuiltins } from './graphql/builtins.js';
import { x509Builtins } from './x509.js';
import { comparisonBuiltins } from './comparison.js';
import { graphBuiltins } from './graph.js';
import { moduleBuiltins } from './module-document.js';
import { numberBuiltins } from './numbers.js';
import { objectBuiltins } from './objects.js';
import { outsideBuiltins } from './outside.js';
import { semverBuiltins } from './semver.js';
import { setBuiltins } from './sets.js';
import { stringBuiltins } from './strings.js';
import { typeBuiltins } from './types-of.js';
import { unitBuiltins } from './units.js';
import type { Builtin, BuiltinTable } from './types.js';

const TABLES: readonly BuiltinTable[] = [
  aggregateBuiltins,
  arrayBuiltins,
  encodingBuiltins,
  globBuiltins,
  jsonPatchBuiltins,
  jsonPathBuiltins,
  networkBuiltins,
  regexBuiltins,
  cryptoBuiltins,
  timeBuiltins,
  uuidBuiltins,
  jwtBuiltins,
  jsonSchemaBuiltins,
  awsBuiltins,
  graphqlBuiltins,
  x509Builtins,
  comparisonBuiltins,
  graphBuiltins,
  moduleBuiltins,
  numberBuiltins,
  objectBuiltins,
  outsideBuiltins,
  semverBuiltins,
  setBuiltins,
  stringBuiltins,
  typeBuiltins,
  unitBuiltins,
];

const STANDARD: ReadonlyMap<string, Builtin> = new Map(TABLES.flatMap((table) => Object.entries(table)));

/** Returns all builtins by name. Those in `extra` override others. */
export function builtinTable(extra: Readonly<Record<string, Builtin>> | undefined): ReadonlyMap<string, Builtin> {
  return extra === undefined ? STANDARD : new Map([...STANDARD, ...Object.entries(extra)]);
}
