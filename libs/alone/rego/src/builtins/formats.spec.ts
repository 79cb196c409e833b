import { describe, expect, it } from '@jest/globals';
import type { Json } from '../values/convert.js';
import { errorOf, valueOf } from '../testing.js';

/** Error messages of the Open Policy Agent for invalid documents and tokens. */
const FAULTS: readonly (readonly [term: string, error: string])[] = [
  [
    'graphql.parse("{b}", "type Query { a: Int }")',
    'eval_builtin_error: graphql.parse: Cannot query field "b" on type "Query". Did you mean "a"? in GraphQL string at location 1:2',
  ],
  [
    'graphql.parse("{bcdef}", "type Query { a: Int }")',
    'eval_builtin_error: graphql.parse: Cannot query field "bcdef" on type "Query" in GraphQL string at location 1:2',
  ],
  [
    'graphql.parse("{nam}", "type Query { name: Int, names: Int }")',
    'eval_builtin_error: graphql.parse: Cannot query field "nam" on type "Query". Did you mean "name" or "names"? in GraphQL string at location 1:2',
  ],
  [
    'graphql.parse("query q($x: Int) {a}", "type Query { a: Int }")',
    'eval_builtin_error: graphql.parse: Variable "$x" is never used in operation "q" in GraphQL string at location 1:9',
  ],
  [
    'graphql.parse("{a}", "type Query { a: X }")',
    'eval_builtin_error: graphql.parse: Error in gqlparser SchemaDocument to Schema conversion: input:1:17: Undefined type X.',
  ],
  [
    'graphql.parse("{a(x: \\"s\\")}", "type Query { a(x: Int): Int }")',
    'eval_builtin_error: graphql.parse: Int cannot represent non-integer value: "s" in GraphQL string at location 1:7',
  ],
  [
    'graphql.parse("{a(x: RED)}", "type Query { a(x: C): Int } enum C { GREEN }")',
    'eval_builtin_error: graphql.parse: Value "RED" does not exist in "C" enum in GraphQL string at location 1:7',
  ],
  [
    'graphql.parse("{x: a, x: b}", "type Query { a: Int b: Int }")',
    'eval_builtin_error: graphql.parse: Fields "x" conflict because "a" and "b" are different fields. Use different aliases on the fields to fetch both if this was intentional in GraphQL string at location 1:8',
  ],
  [
    'graphql.parse("subscription { a b }", "type Query { a: Int } type Subscription { a: Int b: Int }")',
    'eval_builtin_error: graphql.parse: Anonymous Subscription must select only one top level field in GraphQL string at location 1:1',
  ],
  [
    'graphql.parse("{a(x: {k: 1, k: 2})}", "type Query { a(x: C): Int } input C { k: Int }")',
    'eval_builtin_error: graphql.parse: There can be only one input field named "k" in GraphQL string at location 1:17',
  ],
  [
    'graphql.parse_query("{a ?}")',
    'eval_builtin_error: graphql.parse_query: Cannot parse the unexpected character "?". in GraphQL string at location 1:4',
  ],
  [
    'graphql.parse_query("{a(b: \\"x)}")',
    'eval_builtin_error: graphql.parse_query: Unterminated string. in GraphQL string at location 1:7',
  ],
  [
    'graphql.parse_query("{a(b: \'x\')}")',
    'eval_builtin_error: graphql.parse_query: Unexpected single quote character (\'), did you mean to use a double quote (")? in GraphQL string at location 1:7',
  ],
  ['yaml.unmarshal("a: [")', "eval_builtin_error: yaml.unmarshal: yaml: line 1: did not find expected ',' or ']'"],
  ['io.jwt.decode("a")', 'eval_builtin_error: io.jwt.decode: encoded JWT had no period separators'],
  ['io.jwt.decode("a.b")', 'eval_builtin_error: io.jwt.decode: encoded JWT must have 3 sections, found 2'],
  [
    'io.jwt.decode("!.b.c")',
    'eval_builtin_error: io.jwt.decode: JWT header had invalid encoding: illegal base64url string: !',
  ],
  [
    'io.jwt.decode("YWE.b.c")',
    "eval_builtin_error: io.jwt.decode: bad JWT header: invalid JSON: invalid character 'a' looking for beginning of value",
  ],
  [
    'io.jwt.decode("W10.b.c")',
    'eval_builtin_error: io.jwt.decode: bad JWT header: decoded JSON type was not an Object',
  ],
  [
    'io.jwt.decode("e30.b.c")',
    'eval_builtin_error: io.jwt.decode: JWT payload had invalid encoding: illegal base64url string: b',
  ],
  ['io.jwt.decode("e30.W10.c")', 'eval_builtin_error: io.jwt.decode: decoded JSON type was not an Object'],
  [
    'io.jwt.decode("e30.e30.c")',
    'eval_builtin_error: io.jwt.decode: JWT signature had invalid encoding: illegal base64url string: c',
  ],
  ['io.jwt.decode(1)', 'eval_type_error: io.jwt.decode: operand 1 must be string but got number'],
  [
    'io.jwt.verify_rs256("e30.e30.", 1)',
    'eval_type_error: io.jwt.verify_rs256: operand 2 must be string but got number',
  ],
  ['io.jwt.verify_rs256("e30.e30.", "x")', 'eval_builtin_error: io.jwt.verify_rs256: failed to parse a JWK key (set)'],
  [
    'io.jwt.verify_hs256("a.b", "s")',
    'eval_builtin_error: io.jwt.verify_hs256: encoded JWT must have 3 sections, found 2',
  ],
  ['io.jwt.decode_verify("e30.e30.", {})', 'eval_builtin_error: io.jwt.decode_verify: no key constraint'],
  ['io.jwt.decode_verify("e30.e30.", {"secret": ""})', 'eval_builtin_error: io.jwt.decode_verify: no key constraint'],
  [
    'io.jwt.decode_verify("e30.e30.", {"foo": 1})',
    'eval_builtin_error: io.jwt.decode_verify: unknown token validation constraint: foo',
  ],
  [
    'io.jwt.decode_verify("e30.e30.", {"secret": 1})',
    'eval_builtin_error: io.jwt.decode_verify: secret constraint: must be a string',
  ],
  [
    'io.jwt.decode_verify("e30.e30.", {"secret": "s", "time": "x"})',
    'eval_builtin_error: io.jwt.decode_verify: token time constraint: must be a number',
  ],
  [
    'io.jwt.decode_verify("e30.e30.", {"secret": "s", "time": -1})',
    'eval_builtin_error: io.jwt.decode_verify: token time constraint: must not be negative',
  ],
  [
    'io.jwt.decode_verify("e30.e30.", 1)',
    'eval_type_error: io.jwt.decode_verify: operand 2 must be object but got number',
  ],
  [
    'io.jwt.decode_verify(io.jwt.encode_sign({"alg": "HS256", "crit": []}, {}, {"kty": "oct", "k": "c2VjcmV0"}), {"secret": "secret"})',
    'eval_builtin_error: io.jwt.decode_verify: crit: must be a nonempty list',
  ],
  [
    'io.jwt.encode_sign({"alg": "XX256"}, {}, {"kty": "oct", "k": "c2VjcmV0"})',
    'eval_builtin_error: io.jwt.encode_sign: unknown JWS algorithm: XX256',
  ],
  [
    'io.jwt.encode_sign_raw("{\\"alg\\":\\"HS256\\"}", "x", "{\\"kty\\": \\"oct\\", \\"k\\": \\"c2VjcmV0\\"}")',
    'eval_builtin_error: io.jwt.encode_sign_raw: type is JWT but payload is not JSON',
  ],
  ['json.unmarshal("[1 2]")', "eval_builtin_error: json.unmarshal: invalid character '2' after array element"],
  [
    'json.unmarshal("{1}")',
    "eval_builtin_error: json.unmarshal: invalid character '1' looking for beginning of object key string",
  ],
  ['json.unmarshal("{\\"a\\" 1}")', "eval_builtin_error: json.unmarshal: invalid character '1' after object key"],
  [
    'json.unmarshal("{\\"a\\": 1 \\"b\\"}")',
    "eval_builtin_error: json.unmarshal: invalid character '\"' after object key:value pair",
  ],
  [
    'json.unmarshal("trux")',
    "eval_builtin_error: json.unmarshal: invalid character 'x' in literal true (expecting 'e')",
  ],
  [
    'json.unmarshal("[1,]")',
    "eval_builtin_error: json.unmarshal: invalid character ']' looking for beginning of value",
  ],
  [
    'json.unmarshal("1e400 == 1e400")',
    "eval_builtin_error: json.unmarshal: invalid character '=' after top-level value",
  ],
  [
    'json.match_schema({}, {"type": "nope"})',
    'eval_builtin_error: json.match_schema: has a primitive type that is NOT VALID -- given: /nope/ Expected valid values are:[array boolean integer number null object string]',
  ],
  [
    'crypto.x509.parse_certificates("foobar")',
    'eval_builtin_error: crypto.x509.parse_certificates: illegal base64 data at input byte 4',
  ],
  [
    'crypto.x509.parse_certificates("-----BEGIN X-----\\nYQ==\\n-----END X-----")',
    "eval_builtin_error: crypto.x509.parse_certificates: PEM block type is 'X', expected CERTIFICATE",
  ],
  [
    'crypto.x509.parse_certificates("YmFkc3RyaW5n")',
    'eval_builtin_error: crypto.x509.parse_certificates: x509: malformed certificate',
  ],
  [
    'crypto.x509.parse_and_verify_certificates(1)',
    'eval_type_error: crypto.x509.parse_and_verify_certificates: operand 1 must be string but got number',
  ],
  [
    'crypto.x509.parse_and_verify_certificates_with_options("", {"DNSName": 1})',
    "eval_builtin_error: crypto.x509.parse_and_verify_certificates_with_options: 'DNSName' should be a string",
  ],
  [
    'crypto.x509.parse_and_verify_certificates_with_options("", {"CurrentTime": "x"})',
    "eval_builtin_error: crypto.x509.parse_and_verify_certificates_with_options: 'CurrentTime' should be a number",
  ],
  [
    'crypto.x509.parse_and_verify_certificates_with_options("", {"CurrentTime": 1.5})',
    "eval_builtin_error: crypto.x509.parse_and_verify_certificates_with_options: 'CurrentTime' should be a valid int64 number",
  ],
  [
    'crypto.x509.parse_and_verify_certificates_with_options("", {"KeyUsages": 1})',
    "eval_builtin_error: crypto.x509.parse_and_verify_certificates_with_options: 'KeyUsages' should be an Array or Set",
  ],
  [
    'crypto.x509.parse_and_verify_certificates_with_options("", {"KeyUsages": ["Foo"]})',
    "eval_builtin_error: crypto.x509.parse_and_verify_certificates_with_options: invalid entries for 'KeyUsages' found: [Foo]",
  ],
  [
    'crypto.x509.parse_and_verify_certificates_with_options("", {"Foo": 1})',
    'eval_builtin_error: crypto.x509.parse_and_verify_certificates_with_options: invalid key option',
  ],
  [
    'crypto.x509.parse_keypair("", 1)',
    'eval_type_error: crypto.x509.parse_keypair: operand 1 must be string but got number',
  ],
  [
    'crypto.x509.parse_rsa_private_key("")',
    'eval_builtin_error: crypto.x509.parse_rsa_private_key: input PEM data was empty',
  ],
];

/** Results of the Open Policy Agent for valid documents and tokens. */
const VALUES: readonly (readonly [term: string, expected: Json | undefined])[] = [
  ['graphql.is_valid("{x: a, x: b}", "type Query { a: Int b: Int }")', false],
  ['graphql.is_valid("{a, a}", "type Query { a: Int b: Int }")', true],
  ['graphql.is_valid("{a(x: 1), a(x: 2)}", "type Query { a(x: Int): Int }")', false],
  ['graphql.is_valid("{q {x: a}, q {x: b}}", "type Query { q: Q } type Q { a: Int b: Int }")', false],
  [
    'graphql.is_valid("{i {... on A {x: a} ... on B {x: b}}}", "type Query { i: I } interface I { id: Int } type A implements I { id: Int a: Int } type B implements I { id: Int b: Int }")',
    true,
  ],
  [
    'graphql.is_valid("{i {... on A {x: a} ... on B {x: b}}}", "type Query { i: I } interface I { id: Int } type A implements I { id: Int a: Int } type B implements I { id: Int b: String }")',
    false,
  ],
  [
    'graphql.is_valid("{...F ...F} fragment F on Query { a { ...G } } fragment G on Q { b { ...G2 } } fragment G2 on Query { a { c } }", "type Query { a: Q } type Q { b: Query c: Int }")',
    true,
  ],
  ['graphql.parse("{ __schema { types { name } } }", "type Query { a: Int }")[0].Operations[0].Operation', 'query'],
  ['graphql.is_valid("{a}", "type Query { a: Int } extend type Query { b: Int }")', true],
  ['graphql.is_valid("{b}", "type Query { a: Int } extend type Query { b: Int }")', true],
  ['graphql.schema_is_valid("type A { a: Int a: Int }")', false],
  ['graphql.schema_is_valid("type A { a: B } input B { x: Int }")', false],
  ['graphql.schema_is_valid("enum A { true }")', false],
  ['graphql.schema_is_valid("interface I { a(x: Int): Int } type T implements I { a(x: Int, y: Int!): Int }")', false],
  ['graphql.schema_is_valid("interface I { a(x: Int): Int } type T implements I { a(x: Int, y: Int): Int }")', true],
  ['graphql.schema_is_valid("directive @d(x: Int @d) on ARGUMENT_DEFINITION")', false],
  ['graphql.schema_is_valid("type A @deprecated { a: Int }")', false],
  ['graphql.schema_is_valid("")', true],
  ['graphql.is_valid("{a}", "")', false],
  ['graphql.parse_query("")', {}],
  ['json.unmarshal("\\"\\\\ud800x\\"")', '�x'],
  ['json.unmarshal("\\"\\\\ud83d\\\\ude00\\"")', '😀'],
  ['yaml.unmarshal("yes: 1\\n1.5: 2\\nnull: 3").true', 1],
  ['yaml.unmarshal("a: 1\\n---\\nb: 2")', { a: 1 }],
  ['yaml.unmarshal("a: 1\\na: 2")', { a: 2 }],
  ['yaml.unmarshal("- a\\n- b: [1, {c: d}]")', ['a', { b: [1, { c: 'd' }] }]],
  ['yaml.unmarshal("a: &x {b: 1}\\nc:\\n  <<: *x\\n  d: 2")', { a: { b: 1 }, c: { b: 1, d: 2 } }],
  ['yaml.unmarshal("a: |\\n  x\\n  y\\nb: >\\n  x\\n  y\\n")', { a: 'x\ny\n', b: 'x y\n' }],
  ['yaml.unmarshal("{\\"a\\": [1, 2.5, true, null]}")', { a: [1, 2.5, true, null] }],
  ['yaml.unmarshal("12:30:45")', '12:30:45'],
  ['yaml.unmarshal("# only")', null],
  [
    'yaml.marshal({"a": "a: b", "b": "- x", "c": "#x", "d": "2001-01-01", "e": "12:30", "f": "~", "g": "x # y", "h": "1e3", "i": "0x1", "j": " x", "k": "x:", "l": "a\\tb"})',
    'a: \'a: b\'\nb: \'- x\'\nc: \'#x\'\nd: "2001-01-01"\ne: "12:30"\nf: "~"\ng: \'x # y\'\nh: "1e3"\ni: "0x1"\nj: \' x\'\nk: \'x:\'\nl: "a\\tb"\n',
  ],
  [
    'yaml.marshal({"b": 1, "a": [[1, 2], [], {}], "yes": true, "1": null})',
    '"1": null\na:\n- - 1\n  - 2\n- []\n- {}\nb: 1\n"yes": true\n',
  ],
  ['yaml.marshal({"a": [{"b": 1, "c": 2}]})', 'a:\n- b: 1\n  c: 2\n'],
  ['yaml.marshal({"<a>": "<b> & c"})', '<a>: <b> & c\n'],
  ['yaml.is_valid("a: 1\\na: 2")', true],
  ['io.jwt.decode("e30.e30.")', [{}, {}, '']],
  ['io.jwt.verify_hs256("e30.!!.", "s")', false],
  ['io.jwt.decode_verify("e30.e30.", {"secret": "s"})', [false, {}, {}]],
  [
    'io.jwt.decode_verify(io.jwt.encode_sign({"alg": "HS256", "crit": ["x"], "x": 1}, {}, {"kty": "oct", "k": "c2VjcmV0"}), {"secret": "secret"})',
    [false, {}, {}],
  ],
  [
    'io.jwt.decode_verify(io.jwt.encode_sign({"alg": "HS256", "crit": ["x"]}, {"a": 1}, {"kty": "oct", "k": "c2VjcmV0"}), {"secret": "secret"})[2]',
    { a: 1 },
  ],
  [
    'io.jwt.decode_verify(io.jwt.encode_sign({"alg": "HS512"}, {"a": 1}, {"kty": "oct", "k": "c2VjcmV0"}), {"cert": "{\\"kty\\": \\"oct\\", \\"k\\": \\"c2VjcmV0\\"}"})[0]',
    true,
  ],
  [
    'io.jwt.decode_verify(io.jwt.encode_sign({"alg": "HS256"}, {"aud": "x"}, {"kty": "oct", "k": "c2VjcmV0"}), {"secret": "secret"})',
    [false, {}, {}],
  ],
  [
    'io.jwt.decode_verify(io.jwt.encode_sign({"alg": "HS256"}, {"aud": ["x", "y"]}, {"kty": "oct", "k": "c2VjcmV0"}), {"secret": "secret", "aud": "y"})[0]',
    true,
  ],
  [
    'io.jwt.encode_sign({"typ": "text/plain", "alg": "HS256"}, {"a": "<"}, {"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}) == io.jwt.encode_sign_raw("{\\"alg\\":\\"HS256\\",\\"typ\\":\\"text/plain\\"}", "{\\"a\\":\\"\\\\u003c\\"}", "{\\"kty\\": \\"oct\\", \\"k\\": \\"c2VjcmV0\\"}")',
    true,
  ],
  [
    'json.match_schema({"id": "x"}, {"properties": {"id": {"type": "integer"}}})',
    [
      false,
      [
        {
          desc: 'Invalid type. Expected: integer, given: string',
          error: 'id: Invalid type. Expected: integer, given: string',
          field: 'id',
          type: 'invalid_type',
        },
      ],
    ],
  ],
  [
    'json.match_schema("5", {"type": ["string", "null"]})[1][0].desc',
    'Invalid type. Expected: [string,null], given: integer',
  ],
  [
    'json.match_schema({}, {"required": ["a"]})[1]',
    [{ desc: 'a is required', error: '(root): a is required', field: '(root)', type: 'required' }],
  ],
  [
    '[e.type | e := json.match_schema({"a": 1}, {"anyOf": [{"required": ["b"]}, {"properties": {"a": {"type": "string"}}}]})[1][_]]',
    ['number_any_of', 'required'],
  ],
  [
    '[e.type | e := json.match_schema({"a": 1}, {"oneOf": [{"required": ["b"]}, {"required": ["c"]}]})[1][_]]',
    ['number_one_of', 'required'],
  ],
  ['[e.type | e := json.match_schema({"a": 1}, {"oneOf": [{"required": ["a"]}, {}]})[1][_]]', ['number_one_of']],
  [
    '[e.type | e := json.match_schema({"a": 1}, {"allOf": [{"required": ["b"]}, {}]})[1][_]]',
    ['required', 'number_all_of'],
  ],
  [
    '[e.type | e := json.match_schema({"a": 1}, {"if": {"required": ["a"]}, "then": {"required": ["b"]}})[1][_]]',
    ['condition_then', 'required'],
  ],
  [
    '[e.desc | e := json.match_schema("7", {"maximum": 1000000, "minimum": 2000000, "multipleOf": 2})[1][_]]',
    ['Must be a multiple of 2', 'Must be greater than or equal to 2e+06'],
  ],
  [
    '[e.desc | e := json.match_schema("[1, 1, 1]", {"uniqueItems": true})[1][_]]',
    ['array items[0,1] must be unique', 'array items[1,2] must be unique'],
  ],
  ['[e.type | e := json.match_schema("[1]", {"contains": {"type": "string"}})[1][_]]', ['contains', 'invalid_type']],
  ['json.match_schema({"a": 1}, {"additionalProperties": false})[1][0].desc', 'Additional property a is not allowed'],
  ['json.match_schema("\\"x\\"", {"enum": ["a", 1]})[1][0].desc', '(root) must be one of the following: "a", 1'],
  ['json.match_schema("\\"2020-01-01T00:00:00Z\\"", {"format": "date-time"})[0]', true],
  ['json.match_schema("\\"2020-13-01\\"", {"format": "date"})[0]', false],
  ['json.match_schema("\\"a@b.c\\"", {"format": "email"})[0]', true],
  ['json.match_schema("\\"(\\"", {"format": "regex"})[0]', false],
  ['json.verify_schema({"type": ["string", "string"]})', [false, 'jsonschema: string type is duplicated']],
  ['json.verify_schema({"minLength": -1})', [false, 'jsonschema: minLength must be greater than or equal to 0']],
  ['json.verify_schema({"minLength": 1.5})', [false, 'jsonschema: minLength must be of an integer']],
  ['json.verify_schema({"required": "a"})', [false, 'jsonschema: required must be of an array']],
  ['json.verify_schema({"required": ["a", "a"]})', [false, 'jsonschema: required items must be unique']],
  ['json.verify_schema({"properties": 1})', [false, 'jsonschema: properties must be of type object']],
  ['json.verify_schema({"properties": {"a": 1}})', [false, 'jsonschema: Expected: schema, given: Invalid JSON']],
  ['json.verify_schema({"multipleOf": 0})', [false, 'jsonschema: multipleOf must be strictly greater than 0']],
  ['json.verify_schema({"pattern": "("})', [false, 'jsonschema: pattern must be a valid regex']],
  ['json.verify_schema({"minimum": "a"})', [false, 'jsonschema: minimum must be of a number']],
  [
    'json.verify_schema({"items": 1})',
    [false, 'jsonschema: Invalid type. Expected: schema/array of schemas, given: items'],
  ],
  ['json.verify_schema("true")', [true, null]],
  ['json.verify_schema([1])', [false, 'jsonschema: schema is invalid']],
  ['json.match_schema("5", {"anyOf": [{"type": "integer"}, {"$ref": "#"}]})', [true, []]],
  ['crypto.x509.parse_certificates("")', []],
  ['crypto.x509.parse_and_verify_certificates("x")', [false, []]],
  ['crypto.x509.parse_and_verify_certificates("")', [false, []]],
  ['crypto.x509.parse_and_verify_certificates_with_options("x", {"DNSName": 1})', [false, []]],
  ['crypto.parse_private_keys("")', null],
  ['crypto.parse_private_keys("x")', []],
];

describe('documents and tokens', () => {
  it.each(FAULTS)('%s is rejected', (term, error) => {
    expect(errorOf(term)).toBe(error);
  });

  it.each(VALUES)('%s is read', (term, expected) => {
    expect(valueOf(term, { strict: true })).toEqual(expected);
  });
});
