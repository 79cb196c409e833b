import { describe, expect, it } from '@jest/globals';
import { errorOf, valueOf } from '../testing.js';

/** Errors of strict evaluation, with the messages of the Open Policy Agent. */
const ROWS: readonly (readonly [term: string, error: string])[] = [
  ['sum(["a"])', 'eval_type_error: sum: operand 1 must be array of numbers but got array containing string'],
  ['sum({"a"})', 'eval_type_error: sum: operand 1 must be set of numbers but got set containing string'],
  ['product([null])', 'eval_type_error: product: operand 1 must be array of numbers but got array containing null'],
  ['sum("a")', 'eval_type_error: sum: operand 1 must be one of {set, array} but got string'],
  ['max(1)', 'eval_type_error: max: operand 1 must be one of {set, array} but got number'],
  ['min({})', 'eval_type_error: min: operand 1 must be one of {set, array} but got object'],
  ['sort("a")', 'eval_type_error: sort: operand 1 must be one of {set, array} but got string'],
  ['concat(",", "a")', 'eval_type_error: concat: operand 2 must be one of {set, array} but got string'],
  ['concat(",", [1])', 'eval_type_error: concat: operand 2 must be array of strings but got array containing number'],
  ['concat(",", {1})', 'eval_type_error: concat: operand 2 must be set of strings but got set containing number'],
  ['concat(1, [])', 'eval_type_error: concat: operand 1 must be string but got number'],
  [
    'strings.any_prefix_match(1, "a")',
    'eval_type_error: strings.any_prefix_match: operand 1 must be one of {string, set, array} but got number',
  ],
  [
    'strings.any_prefix_match("a", 1)',
    'eval_type_error: strings.any_prefix_match: operand 2 must be one of {string, set, array} but got number',
  ],
  [
    'strings.any_prefix_match("a", [1])',
    'eval_type_error: strings.any_prefix_match: operand 2 must be array of strings but got array containing number',
  ],
  [
    'strings.any_prefix_match({1}, "a")',
    'eval_type_error: strings.any_prefix_match: operand 1 must be set of strings but got set containing number',
  ],
  ['bits.and("a", 1)', 'eval_type_error: bits.and: operand 1 must be integer but got string'],
  ['bits.lsh(1, "a")', 'eval_type_error: bits.lsh: operand 2 must be number but got string'],
  ['bits.lsh(1, 1.5)', 'eval_type_error: bits.lsh: operand 2 must be integer number but got floating-point number'],
  ['numbers.range("a", 1)', 'eval_type_error: numbers.range: operand 1 must be integer but got string'],
  ['numbers.range_step(1, 2, 0)', 'eval_builtin_error: numbers.range_step: step must be a positive integer'],
  ['numbers.range_step(1, 2, -1)', 'eval_builtin_error: numbers.range_step: step must be a positive integer'],
  [
    'numbers.range_step(1, 2, 1.5)',
    'eval_type_error: numbers.range_step: operand 3 must be integer number but got floating-point number',
  ],
  ['1 - "a"', 'eval_type_error: minus: operand 2 must be number but got string'],
  ['{1} - "a"', 'eval_type_error: minus: operand 2 must be number but got string'],
  ['"a" - 1', 'eval_type_error: minus: operand 1 must be one of {number, set} but got string'],
  ['{1} - 1', 'eval_type_error: minus: operand 2 must be set but got number'],
  ['1 + "a"', 'eval_type_error: plus: operand 2 must be number but got string'],
  ['1 / 0', 'eval_builtin_error: div: divide by zero'],
  ['1 % 0', 'eval_builtin_error: rem: modulo by zero'],
  ['{1} & [1]', 'eval_type_error: and: operand 2 must be set but got array'],
  ['[1] | {1}', 'eval_type_error: or: operand 1 must be set but got array'],
  ['union({1})', 'eval_type_error: union: operand 1 must be set but got number'],
  ['intersection({{1},2})', 'eval_type_error: intersection: operand 1 must be set but got number'],
  ['union([])', 'eval_type_error: union: operand 1 must be set but got array'],
  ['to_number("nan")', 'eval_type_error: to_number: operand 1 must be valid number string but got string'],
  [
    'to_number([])',
    'eval_type_error: to_number: operand 1 must be one of {null, boolean, number, string} but got array',
  ],
  ['to_number("")', 'eval_builtin_error: to_number: strconv.ParseFloat: parsing "": invalid syntax'],
  ['to_number("1e400")', 'eval_builtin_error: to_number: strconv.ParseFloat: parsing "1e400": value out of range'],
  ['to_number(" 1")', 'eval_builtin_error: to_number: strconv.ParseFloat: parsing " 1": invalid syntax'],
  ['to_number("+--inf")', 'eval_type_error: to_number: operand 1 must be valid number string but got string'],
  ['net.cidr_contains("10.0.0.0/8", 1)', 'eval_type_error: net.cidr_contains: operand 1 must be string but got number'],
  [
    'net.cidr_contains("10.0.0.0/8", "x")',
    'eval_builtin_error: net.cidr_contains: not a valid textual representation of an IP address or CIDR: x',
  ],
  [
    'net.cidr_contains("10.0.0.0", "10.0.0.1")',
    'eval_builtin_error: net.cidr_contains: invalid CIDR address: 10.0.0.0',
  ],
  [
    'net.cidr_intersects("10.0.0.0/8", 1)',
    'eval_type_error: net.cidr_intersects: operand 1 must be string but got number',
  ],
  [
    'net.cidr_contains_matches([1], "10.0.0.0/8")',
    'eval_builtin_error: net.cidr_contains_matches: operand 1: element must be string or non-empty array',
  ],
  [
    'net.cidr_contains_matches("10.0.0.0/8", [[]])',
    'eval_builtin_error: net.cidr_contains_matches: operand 2: element must be string or non-empty array',
  ],
  ['net.cidr_merge("a")', 'eval_builtin_error: net.cidr_merge: operand must be an array'],
  ['net.cidr_merge([1])', 'eval_builtin_error: net.cidr_merge: element must be string'],
  ['net.cidr_merge(["::1"])', 'eval_builtin_error: net.cidr_merge: IPv6 invalid: needs prefix length'],
  ['net.cidr_merge(["x"])', 'eval_builtin_error: net.cidr_merge: invalid CIDR address: x'],
  [
    'json.marshal_with_options({}, {"indent": 1})',
    'eval_type_error: json.marshal_with_options: operand 2 key "indent" failed cast to string: operand 0 must be string but got number',
  ],
  [
    'json.marshal_with_options({}, {"pretty": 1})',
    'eval_type_error: json.marshal_with_options: operand 2 key "pretty" failed cast to bool',
  ],
  [
    'json.marshal_with_options({}, 1)',
    'eval_type_error: json.marshal_with_options: operand 2 must be object but got number',
  ],
  ['base64url.decode("YQ=")', 'eval_builtin_error: base64url.decode: illegal base64 data at input byte 2'],
  ['base64url.decode("Y")', 'eval_builtin_error: base64url.decode: illegal base64url string: Y'],
  ['base64.decode("YQ")', 'eval_builtin_error: base64.decode: illegal base64 data at input byte 0'],
  ['base64.decode("Y!==")', 'eval_builtin_error: base64.decode: illegal base64 data at input byte 1'],
  [
    'urlquery.encode_object({"a": 1})',
    'eval_type_error: urlquery.encode_object: operand 1 values must be string, array[string], or set[string]',
  ],
  ['urlquery.encode_object("a")', 'eval_type_error: urlquery.encode_object: operand 1 must be object but got string'],
  ['urlquery.decode("%zz")', 'eval_builtin_error: urlquery.decode: invalid URL escape "%zz"'],
  ['urlquery.decode("a%2")', 'eval_builtin_error: urlquery.decode: invalid URL escape "%2"'],
  [
    'urlquery.decode_object("a=1;b=2")',
    'eval_builtin_error: urlquery.decode_object: invalid semicolon separator in query',
  ],
  ['urlquery.decode_object("a=%zz")', 'eval_builtin_error: urlquery.decode_object: invalid URL escape "%zz"'],
  ['hex.decode("6g")', "eval_builtin_error: hex.decode: encoding/hex: invalid byte: U+0067 'g'"],
  ['hex.decode("616")', 'eval_builtin_error: hex.decode: encoding/hex: odd length hex string'],
  ['glob.match("a", "x", "a")', 'eval_type_error: glob.match: operand 2 must be one of {array, null} but got string'],
  [
    'glob.match("a", [1], "a")',
    'eval_type_error: glob.match: operand 2 must be array of strings but got array containing number',
  ],
  [
    'glob.match("a", ["ab"], "a")',
    'eval_type_error: glob.match: operand 2 must be array of runes but got array containing string',
  ],
  ['glob.match("[a", [], "a")', 'eval_builtin_error: glob.match: unexpected end of input'],
  ['glob.match("[a-zA-Z]", [], "b")', 'eval_builtin_error: glob.match: expected close range character'],
  ['glob.match("[z-a]", [], "b")', "eval_builtin_error: glob.match: hi character 'a' should be greater than lo 'z'"],
  ['json.filter("a", [])', 'eval_type_error: json.filter: operand 1 must be object but got string'],
  ['json.filter({}, 1)', 'eval_type_error: json.filter: operand 2 must be one of {set, array} but got number'],
  [
    'json.filter({}, [1])',
    'eval_type_error: json.filter: operand 2 must be one of {set, array} containing string paths or array of path segments but got number',
  ],
  ['json.patch({"a": 1}, 1)', 'eval_type_error: json.patch: operand 2 must be array but got number'],
  ['json.match_schema(1, {})', 'eval_builtin_error: json.match_schema: wrong type, expected string or object'],
  ['json.match_schema("x", {})', 'eval_builtin_error: json.match_schema: invalid JSON string'],
  [
    'object.union_n([1])',
    'eval_type_error: object.union_n: operand 1 must be array of objects but got array containing number',
  ],
  ['object.union_n(1)', 'eval_type_error: object.union_n: operand 1 must be array but got number'],
  ['graph.reachable({}, 1)', 'eval_type_error: graph.reachable: operand 2 must be {array, set} but got number'],
  ['graph.reachable(1, [])', 'eval_type_error: graph.reachable: operand 1 must be object but got number'],
  [
    'graph.reachable_paths({}, "a")',
    'eval_type_error: graph.reachable_paths: operand 2 must be {array, set} but got string',
  ],
  [
    'regex.template_match("a}b", "a", "{", "}")',
    'eval_builtin_error: regex.template_match: unbalanced braces in "a}b"',
  ],
  [
    'regex.template_match("a{b", "a", "{", "}")',
    'eval_builtin_error: regex.template_match: unbalanced braces in "a{b"',
  ],
  [
    'regex.template_match("a", "a", "", "}")',
    'eval_builtin_error: regex.template_match: start delimiter has to be exactly one character long but is 0 long',
  ],
  ['regex.match("(", "a")', 'eval_builtin_error: regex.match: error parsing regexp: missing closing ): `(`'],
  [
    'regex.find_n("a.", "paranormal", 1.5)',
    'eval_type_error: regex.find_n: operand 3 must be integer number but got floating-point number',
  ],
  ['uuid.parse(1)', 'eval_type_error: uuid.parse: operand 1 must be string but got number'],
  ['units.parse_bytes("10 KB")', 'eval_builtin_error: units.parse_bytes: spaces not allowed in resource strings'],
  ['units.parse_bytes("10zz")', 'eval_builtin_error: units.parse_bytes: byte unit zz not recognized'],
  ['units.parse_bytes("1.5.2KB")', 'eval_builtin_error: units.parse_bytes: could not parse byte amount to a number'],
  ['units.parse("10KZ")', 'eval_builtin_error: units.parse: unit Kz not recognized'],
  ['units.parse(1)', 'eval_type_error: units.parse: operand 1 must be string but got number'],
  [
    'time.clock("a")',
    'eval_type_error: time.clock: operand 1 must be either number (ns) or [number (ns), string (tz)] but got string',
  ],
  [
    'time.clock([])',
    'eval_type_error: time.clock: operand 1 must be either number (ns) or [number (ns), string (tz)] but got array',
  ],
  ['time.clock(["a"])', 'eval_type_error: time.clock: operand 1 must be number but got string'],
  ['time.clock([1, 2])', 'eval_type_error: time.clock: operand 1 must be string but got number'],
  [
    'time.diff(1, "a")',
    'eval_type_error: time.diff: operand 1 must be either number (ns) or [number (ns), string (tz)] but got string',
  ],
  ['time.clock([0, "Nowhere/X"])', 'eval_builtin_error: time.clock: unknown time zone Nowhere/X'],
  [
    'time.parse_duration_ns("1x")',
    'eval_builtin_error: time.parse_duration_ns: time: unknown unit "x" in duration "1x"',
  ],
  ['time.parse_duration_ns("1")', 'eval_builtin_error: time.parse_duration_ns: time: missing unit in duration "1"'],
  ['time.parse_duration_ns("")', 'eval_builtin_error: time.parse_duration_ns: time: invalid duration ""'],
  [
    'time.add_date(0, 1.5, 0, 0)',
    'eval_type_error: time.add_date: operand 2 must be integer number but got floating-point number',
  ],
  ['time.add_date(0, "a", 0, 0)', 'eval_type_error: time.add_date: operand 2 must be number but got string'],
  [
    'time.parse_ns("2006-01-02", "2020-13-01")',
    'eval_builtin_error: time.parse_ns: parsing time "2020-13-01": month out of range',
  ],
  [
    'time.parse_ns("2006-01-02", "x")',
    'eval_builtin_error: time.parse_ns: parsing time "x" as "2006-01-02": cannot parse "x" as "2006"',
  ],
  [
    'time.parse_ns("2006-01-02", "2020-01-01x")',
    'eval_builtin_error: time.parse_ns: parsing time "2020-01-01x": extra text: "x"',
  ],
  [
    'time.parse_rfc3339_ns("2020-02-30T00:00:00Z")',
    'eval_builtin_error: time.parse_rfc3339_ns: parsing time "2020-02-30T00:00:00Z": day out of range',
  ],
  [
    'time.parse_rfc3339_ns("x")',
    'eval_builtin_error: time.parse_rfc3339_ns: parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
  ],
  [
    'time.parse_ns("3:04PM", "3:04pm")',
    'eval_builtin_error: time.parse_ns: parsing time "3:04pm" as "3:04PM": cannot parse "pm" as "PM"',
  ],
  ['json.unmarshal("{")', 'eval_builtin_error: json.unmarshal: unexpected EOF'],
  ['json.unmarshal("")', 'eval_builtin_error: json.unmarshal: EOF'],
  ['json.unmarshal("x")', "eval_builtin_error: json.unmarshal: invalid character 'x' looking for beginning of value"],
  ['json.unmarshal("1 2")', "eval_builtin_error: json.unmarshal: invalid character '2' after top-level value"],
  ['trace(1)', 'eval_type_error: trace: operand 1 must be string but got number'],
  ['graphql.parse_query({})', 'eval_type_error: graphql.parse_query: operand 1 must be string but got object'],
  ['graphql.parse(1, "")', 'eval_type_error: graphql.parse: operand 0 must be one of {string, object} but got number'],
  ['graphql.parse("", 1)', 'eval_type_error: graphql.parse: operand 1 must be one of {string, object} but got number'],
  [
    'providers.aws.sign_req({"method": "get", "url": "https://x.y"}, 1, 1)',
    'eval_type_error: providers.aws.sign_req: operand 1 must be object but got number',
  ],
  [
    'providers.aws.sign_req({"method": "get", "url": "https://x.y", "zz": 1}, {"aws_access_key": "a", "aws_region": "b", "aws_secret_access_key": "c", "aws_service": "d"}, 1)',
    'eval_type_error: providers.aws.sign_req: operand 1 invalid request parameters(s): {"zz"}',
  ],
  [
    'providers.aws.sign_req({"method": 1, "url": "https://x.y"}, {"aws_access_key": "a", "aws_region": "b", "aws_secret_access_key": "c", "aws_service": "d"}, 1)',
    'eval_type_error: providers.aws.sign_req: operand 1 invalid values for required request parameters(s): {"method"}',
  ],
  ['glob.match("[!]", [], "a")', 'eval_builtin_error: glob.match: could not parse range'],
  ['units.parse(".")', 'eval_builtin_error: units.parse: could not parse amount to a number'],
  ['units.parse_bytes("")', 'eval_builtin_error: units.parse_bytes: no byte amount provided'],
  ['units.parse_bytes("GB")', 'eval_builtin_error: units.parse_bytes: no byte amount provided'],
  [
    'providers.aws.sign_req({"url": "https://x.y"}, {"aws_access_key": "a", "aws_region": "b", "aws_secret_access_key": "c", "aws_service": "d"}, 1.5)',
    'eval_type_error: providers.aws.sign_req: operand 3 could not convert time_ns value into a unix timestamp',
  ],
  [
    'providers.aws.sign_req({"method": "get", "url": "https://x.y", "headers": 1}, {"aws_access_key": "a", "aws_region": "b", "aws_secret_access_key": "c", "aws_service": "d"}, 1)',
    'eval_type_error: providers.aws.sign_req: operand 0 must be object but got number',
  ],
  [
    'providers.aws.sign_req({"method": "get", "url": "https://x.y"}, {"aws_access_key": "a", "aws_region": "b", "aws_secret_access_key": "c", "aws_service": "d", "disable_payload_signing": 1}, 1)',
    "eval_type_error: providers.aws.sign_req: operand 2 invalid value for 'disable_payload_signing' in AWS config",
  ],
  [
    'providers.aws.sign_req({"method": "get", "url": "https://x.y"}, {}, "a")',
    'eval_type_error: providers.aws.sign_req: operand 2 missing required AWS config parameters(s): {"aws_access_key", "aws_region", "aws_secret_access_key", "aws_service"}',
  ],
];

describe('errors of builtins', () => {
  it.each(ROWS)('%s', (term, error) => {
    expect(errorOf(term)).toBe(error);
    expect(valueOf(term)).toBeUndefined();
  });
});
