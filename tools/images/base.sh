#!/usr/bin/env bash
# Makes a base image without a container registry: a minimal Debian with Node, npm and the user `node` (1000), as the
# official image of Node has them. It needs root, buildah, debootstrap, a mirror of Debian and the npm registry:
#   tools/images/base.sh [IMAGE]     default: localhost/agent-platform/node:24-slim
# Settings: NODE_VERSION (24), DEBIAN_SUITE (bookworm), DEBIAN_MIRROR (http://deb.debian.org/debian).
# Then: npm run images -- --base localhost/agent-platform/node:24-slim
set -euo pipefail
image=${1:-localhost/agent-platform/node:24-slim}
node_version=${NODE_VERSION:-24} suite=${DEBIAN_SUITE:-bookworm} mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

for program in buildah debootstrap npm tar; do
  command -v "$program" >/dev/null || { echo "$program is missing (apt install buildah debootstrap npm)" >&2; exit 69; }
done
[ "$(id -u)" -eq 0 ] || { echo 'debootstrap needs root' >&2; exit 77; }

buildah() { command buildah --storage-driver "${STORAGE_DRIVER:-vfs}" "$@"; }
work=$(mktemp -d) container=
trap '[ -z "$container" ] || buildah rm "$container" >/dev/null; rm -rf "$work"' EXIT
root=$work/root

debootstrap --variant=minbase --include=ca-certificates,libstdc++6 "$suite" "$root" "$mirror" >"$work/log" 2>&1 ||
  { tail -20 "$work/log" >&2; exit 1; }
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/* "$root"/usr/share/{doc,man,info}/* \
  "$root"/usr/share/locale/* "$root"/etc/{machine-id,hostname,resolv.conf} "$root"/debootstrap

# The npm package `node` contains the program of nodejs.org.
node=$(cd "$work" && npm exec --yes --package="node@$node_version" -- node -p process.execPath)
install -m 755 "$node" "$root/usr/local/bin/node"
(cd "$work" && npm pack --silent npm@11 >/dev/null)
mkdir -p "$root/usr/local/lib/node_modules/npm"
tar -xzf "$work"/npm-*.tgz -C "$root/usr/local/lib/node_modules/npm" --strip-components=1 --no-same-owner
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
chmod 755 "$root"/usr/local/lib/node_modules/npm/bin/np{m,x}-cli.js
chroot "$root" groupadd --gid 1000 node
chroot "$root" useradd --uid 1000 --gid node --shell /bin/bash --create-home node

container=$(buildah from scratch)
buildah add --quiet "$container" "$root" / >/dev/null
buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd node "$container"
buildah commit --quiet "$container" "$image" >/dev/null
echo "$image: Debian $suite, Node $("$root/usr/local/bin/node" -v)"
