#!/usr/bin/env bash
# Make the container images of a release: .ci/release/images.sh DIST. For each archive for Linux it builds one, from the
# program in it, as a file for docker load, and adds its checksum. It needs Docker, which fetches the base image.
set -euo pipefail
dist=$(realpath "${1:?usage: .ci/release/images.sh DIST}")
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for archive in "$dist"/quintain_*_linux_*.tar.gz; do
	processor=${archive##*_linux_} processor=${processor%.tar.gz}
	version=${archive##*/quintain_} version=${version%_linux_*}
	mkdir "$scratch/$processor"
	tar -xzf "$archive" -C "$scratch/$processor" --strip-components=1
	docker buildx build --load --platform "linux/$processor" --tag "quintain:$version-$processor" --file Dockerfile "$scratch/$processor"
	docker save --output "$dist/quintain_${version}_image_$processor.tar" "quintain:$version-$processor"
	(cd "$dist" && sha256sum "quintain_${version}_image_$processor.tar" >>checksums.txt)
done
