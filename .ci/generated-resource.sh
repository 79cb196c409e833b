#!/usr/bin/env bash
# Generates a resource in a copy of the working tree, and runs the static checks, the tests of the resource and the tests
# of all routes there.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

tar -C "$root" --exclude=./node_modules --exclude=./dist --exclude='./.build-*' --exclude=./.data --exclude=./.git -cf - . |
  tar -C "$copy" -xf -
ln -s "$root/node_modules" "$copy/node_modules"
cd "$copy"

# A name of two words with the article "an" and a plural in -ies, so that all spellings that are derived from it differ.
touch .copied
npm run --silent generate -- resource order entry --scope agents --description 'Entries of orders'
# Prettier takes half a minute for all files, and reads each file alone: only new and changed ones can be wrong here.
find . -type f -newer .copied -not -path './node_modules/*' -not -path './dist/*' -not -path './.*' -print0 |
  xargs -0 node_modules/.bin/prettier --check --log-level warn
rm .copied
npm run --silent check:code
npm test -- libs/domains/order-entries test/control-plane/order-entries 'tools/generate/[^/]+spec' tools/nest-cli
npm test -- test/laws test/console/resources test/control-plane/resource-cycles \
  --testNamePattern 'order-entries|orderEntries|is among the cycles if'
