import { describe, expect, it } from '@jest/globals';
import type { Json } from '../values/convert.js';
import { errorOf, valueOf } from '../testing.js';

/** Errors with the messages of the Open Policy Agent. */
const FAULTS: readonly (readonly [term: string, error: string])[] = [
  ['json.remove("a", [])', 'eval_type_error: json.remove: operand 1 must be object but got string'],
  ['count(1)', 'eval_type_error: count: operand 1 must be one of {array, object, set, string} but got number'],
  ['bits.negate("a")', 'eval_type_error: bits.negate: operand 1 must be integer but got string'],
  ['bits.negate(1.5)', 'eval_type_error: bits.negate: operand 1 must be integer number but got floating-point number'],
  ['to_number("1_000")', 'eval_builtin_error: to_number: strconv.ParseFloat: parsing "1_000": invalid syntax'],
  [
    'regex.template_match("urn:{foo|bar", "urn:foo", "{", "}")',
    'eval_builtin_error: regex.template_match: unbalanced braces in "urn:{foo|bar"',
  ],
  [
    'regex.template_match("{(}", "a", "{", "}")',
    'eval_builtin_error: regex.template_match: error parsing regexp: missing closing ): `^(()$`',
  ],
  [
    'strings.render_template("{{slice .a 9}}", {"a": "abc"})',
    'eval_builtin_error: strings.render_template: template: index out of range',
  ],
];

/** Terms with their values in the Open Policy Agent. */
const VALUES: readonly (readonly [term: string, expected: Json | undefined])[] = [
  ['json.patch({"a": [1, {"b": 2}]}, [{"op": "replace", "path": ["a", 1, "b"], "value": 3}])', { a: [1, { b: 3 }] }],
  ['json.patch({"a": {"b": 1}}, [{"op": "add", "path": "/a", "value": 5}])', { a: 5 }],
  ['json.patch([1, 2, 3], [{"op": "remove", "path": "/0"}, {"op": "remove", "path": "/0"}])', [3]],
  ['json.patch({"a": 1}, [{"op": "add", "path": "/x/y", "value": 1}])', undefined],
  [
    'json.patch({"a/b": 1, "m~n": 2}, [{"op": "remove", "path": "/a~1b"}, {"op": "replace", "path": "/m~0n", "value": 3}])',
    { 'm~n': 3 },
  ],
  [
    'json.patch({"a": 1}, [{"op": "test", "path": "/a", "value": 1}, {"op": "copy", "from": "/a", "path": "/b"}])',
    { a: 1, b: 1 },
  ],
  ['json.patch({"a": [1]}, [{"op": "test", "path": "/a/-", "value": 1}])', undefined],
  ['json.patch({1, 2}, [{"op": "remove", "path": [1]}])', [2]],
  ['json.patch({1, 2}, [{"op": "add", "path": [3], "value": 4}])', undefined],
  ['json.patch({"a": {[1]}}, [{"op": "add", "path": ["a", [1], "-"], "value": 2}])', { a: [[1, 2]] }],
  ['json.patch({"a": [1, 2]}, [{"op": "move", "from": "/a/0", "path": "/a/1"}])', { a: [2, 1] }],
  ['json.patch({"a": 1}, [{"op": "add", "path": "", "value": [1]}])', [1]],
  ['json.patch({"a": 1}, [{"op": "remove"}])', undefined],
  ['json.patch({"a": 1}, [{"op": "add", "path": "/b"}])', undefined],
  ['json.patch({"a": null}, [{"op": "test", "path": "/a", "value": null}])', { a: null }],
  ['json.patch("x", [])', 'x'],
  ['json.filter({"a": {"b": 1, "c": 2}, "d": 3}, ["a/b", "d"])', { a: { b: 1 }, d: 3 }],
  ['json.filter({"a": {"b": 1}}, ["a/x"])', { a: {} }],
  ['json.filter({"a": [{"b": 1}, {"b": 2}]}, ["a/0/b"])', { a: [{ b: 1 }] }],
  ['json.filter({"a": 1}, [["a"]])', { a: 1 }],
  ['json.filter({"a": 1}, [])', {}],
  ['json.remove({"a": {"b": 1, "c": 2}}, ["a/b"])', { a: { c: 2 } }],
  ['json.remove({"a": 1}, {"a", "b"})', {}],
  ['json.remove({"a": [1, {"b": 2}]}, ["a/1/b"])', { a: [1, {}] }],
  ['json.remove({"a": {"b", "c"}}, ["a/b"])', { a: ['c'] }],
  ['numbers.range(1, 1)', [1]],
  ['object.union({}, {"a": null})', { a: null }],
  ['object.filter({"a": null}, ["a"])', { a: null }],
  ['object.keys({})', []],
  ['sort({3, 1, 2})', [1, 2, 3]],
  ['sort([true, null, "a", 1, [1], {"a": 1}, {1}])', [null, true, 1, 'a', [1], { a: 1 }, [1]]],
  ['sum([])', 0],
  ['product([])', 1],
  ['sum([1, 2.5])', 3.5],
  ['sum({1, 1, 2})', 3],
  ['count(set())', 0],
  ['min(["b", "a"])', 'a'],
  ['max({1, 2, "a"})', 'a'],
  ['all([])', true],
  ['any([])', false],
  ['any([true])', true],
  ['intersection(set())', []],
  ['union({{1}, {2}})', [1, 2]],
  ['intersection({{1, 2}, {2, 3}})', [2]],
  ['{1, 2} & {2, 3}', [2]],
  ['{1, 2} | {3}', [1, 2, 3]],
  ['{1, 2} - {2}', [1]],
  ['bits.lsh(1, 70)', 1.1805916207174113e21],
  ['bits.rsh(-8, 1)', -4],
  ['bits.negate(42)', -43],
  ['bits.xor(42, 3)', 41],
  ['bits.and(-1, 255)', 255],
  ['type_name(null)', 'null'],
  ['is_set({1})', true],
  ['to_number(null)', 0],
  ['to_number("+5")', 5],
  ['to_number("-.5")', -0.5],
  ['to_number("1.")', 1],
  ['to_number("1e5")', 100000],
  ['uuid.parse("00000000-0000-0000-0000-000000000000")', { variant: 'Reserved', version: 0 }],
  ['uuid.parse("{f81d4fae-7dec-41d0-a765-00a0c91e6bf6}").version', 4],
  ['uuid.parse("f81d4fae7dec41d0a76500a0c91e6bf6").version', 4],
  ['uuid.parse("f81d4fae-7dec-41d0-a765-00a0c91e6bf")', undefined],
  ['is_string(uuid.rfc4122("a"))', true],
  ['semver.is_valid("1.2.3-rc.1+build")', true],
  ['semver.is_valid("1.2.3.4")', false],
  ['semver.is_valid("")', false],
  ['semver.compare("1.10.0", "1.9.0")', 1],
  ['semver.compare("1.0.0-1", "1.0.0-2")', -1],
  ['semver.compare("1.0.0-a", "1.0.0-1")', 1],
  ['semver.compare("1.0.0", "1.0.0-a")', 1],
  ['time.parse_rfc3339_ns("2020-01-01T00:00:00.5+05:30")', 1577817000500000000],
  [
    'time.format([1577817000500000000, "Australia/Sydney", "Monday, January 2, 2006 3:04 PM MST -0700"])',
    'Wednesday, January 1, 2020 5:30 AM AEDT +1100',
  ],
  ['time.add_date(1709164800000000000, 1, 0, 0)', 1740787200000000000],
  ['time.diff(0, 0)', [0, 0, 0, 0, 0, 0]],
  ['strings.any_prefix_match(["a", "bc"], {"b"})', true],
  ['strings.any_suffix_match("abc", ["x", "bc"])', true],
  ['strings.any_prefix_match("", "")', true],
  ['strings.any_prefix_match([], [])', false],
  ['regex.template_match("urn:foo:bar:baz", "urn:foo:bar:baz", "{", "}")', true],
  ['regex.template_match("urn:<foo|bar>:baz", "urn:foo:baz", "<", ">")', true],
  ['regex.find_n("[oa]+", "foo bar foo", 2)', ['oo', 'a']],
  ['regex.find_n("a", "b", -1)', []],
  ['regex.replace("-ab-axxb-", "a(x*)b", "T")', '-T-T-'],
  ['regex.replace("-ab-axxb-", "a(x*)b", "${1}W")', '-W-xxW-'],
  ['regex.match("^$", "")', true],
  ['regex.match("é+", "éé")', true],
  ['regex.split(" +", "a  b c")', ['a', 'b', 'c']],
  ['regex.split(",", ",a,")', ['', 'a', '']],
  [
    'strings.render_template("{{html .a}} {{js .a}} {{urlquery .a}}", {"a": "<a b=\'c\'>"})',
    "&lt;a b=&#39;c&#39;&gt; \\u003Ca b\\u003D\\'c\\'\\u003E %3Ca+b%3D%27c%27%3E",
  ],
  ['strings.render_template("{{slice .a 1 2}} {{slice .b 1}}", {"a": "abc", "b": [1, 2, 3]})', 'b [2 3]'],
  ['strings.render_template("{{.a | html}}", {"a": "<"})', '&lt;'],
];

describe('patches, paths, sets, versions, times and templates', () => {
  it.each(FAULTS)('%s is rejected', (term, error) => {
    expect(errorOf(term)).toBe(error);
  });

  it.each(VALUES)('%s is evaluated', (term, expected) => {
    expect(valueOf(term, { strict: true })).toEqual(expected);
  });
});
