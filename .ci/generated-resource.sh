#!/usr/bin/env bash
# Generates a resource in a copy of the working tree, and runs all static checks, the tests of the resource and the tests
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
npm run --silent generate -- resource order entry --scope agents --description 'Entries of orders'
npm run --silent check
npm test -- libs/order-entries test/control-plane/order-entries tools/generate tools/nest-cli
npm test -- test/laws --testNamePattern order-entries
npm test -- test/console/resources --testNamePattern /order-entries
npm test -- test/control-plane/resource-cycles --testNamePattern 'orderEntries|is among the cycles if'
