#!/usr/bin/env bash
# Install a release in every way that this machine can, play three steps of a run, and remove it again:
#
#     make release VERSION=v0.1.0 && conformance/install.sh dist
#     conformance/install.sh dist wheel     only the parts with this word in their names
#
# Nothing may stay behind. What this machine cannot do is named; if ALL_CHECKS is set, that is a failure. As root on a
# Debian machine it installs rpm, and for a moment the package itself. It needs Go, Python and their registries.
set -euo pipefail
dist=$(realpath "${1:?usage: conformance/install.sh DIST [WORD]}") word=${2:-}
cd "$(dirname "$0")/.."
export CGO_ENABLED=0 PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1
exec </dev/null

arch=$(go env GOHOSTARCH) machine=$(uname -m)
here=$(go env GOHOSTOS)_$arch
archive=$(ls "$dist"/quintain_*_"$here".tar.gz)
version=${archive##*/quintain_} version=${version%_"$here".tar.gz}
scratch=$(mktemp -d)
trap 'status=$?; rm -rf "$scratch"; [ $status -eq 0 ] || echo "FAILED: $heading"' EXIT

heading= began=0
try() { # NAME FUNCTION: print how long it took
	[[ $1 == *"$word"* ]] || return 0
	heading=$1 began=$SECONDS
	local status
	set +e
	(set -e; "$2") >"$scratch/said" 2>&1
	status=$?
	set -e
	[ $status -eq 0 ] || { tail -n 40 "$scratch/said"; exit 1; }
	printf '%4d s  %s\n' $((SECONDS - began)) "$1"
}
leave_out() { # NAME: WHY
	echo "left out: $1"
	[ -z "${ALL_CHECKS:-}" ] || { heading=$1; exit 1; }
}
fail() {
	echo "$*"
	exit 1
}

runs() { # COMMAND...: it is this release, and makes three steps in an empty folder with an empty home
	local at=$scratch/at
	mkdir -p "$at/home" "$at/work"
	(
		cd "$at/work"
		export HOME=$at/home
		"$@" --version | grep -F "quintain v$version "
		"$@" run --steps 3 --port 0 2>&1
	)
	[ "$(ls -A "$at/work")" = quintain-data ] || fail "a run leaves more than its folder: $(ls -A "$at/work")"
	[ -z "$(ls -A "$at/home")" ] || fail "a run leaves files at home: $(ls -A "$at/home")"
	rm -rf "$at"
}
gone() { # PATH...: nothing has stayed
	local path
	for path in "$@"; do
		[ ! -e "$path" ] || fail "$path is still there"
	done
}

checksums() {
	(cd "$dist" && sha256sum --check --quiet checksums.txt && [ "$(ls | wc -l)" -eq $(($(wc -l <checksums.txt) + 1)) ])
}

from_archive() {
	tar -xzf "$archive" -C "$scratch"
	local folder=$scratch/quintain_${version}_$here
	runs "$folder/quintain"
	bash -n "$folder/completions/quintain.bash"
	grep -q '^.TH "QUINTAIN' "$folder/man/quintain-run.1"
	grep -q 'SCOWL' "$folder/THIRD_PARTY_LICENSES.txt"
	rm -rf "$folder"
}

# every archive holds a program of its platform, and all that lies beside it
all_archives() {
	local one names platform program
	for one in "$dist"/quintain_*.tar.gz "$dist"/quintain_*.zip; do
		[ -e "$one" ] || continue
		platform=${one##*/quintain_"$version"_} platform=${platform%.tar.gz} platform=${platform%.zip}
		mkdir "$scratch/other"
		case $one in
		*.zip) python3 -m zipfile -e "$one" "$scratch/other" ;;
		*) tar -xzf "$one" -C "$scratch/other" ;;
		esac
		program=$(find "$scratch/other" -type f \( -name quintain -o -name quintain.exe \))
		go version -m "$program" >"$scratch/build"
		grep -q "GOOS=${platform%_*}$" "$scratch/build" && grep -q "GOARCH=${platform#*_}$" "$scratch/build" && grep -q -- '-trimpath=true' "$scratch/build" || fail "$one holds $(cat "$scratch/build")"
		for names in LICENSE README.md THIRD_PARTY_LICENSES.txt completions/quintain.bash completions/_quintain completions/quintain.fish completions/quintain.ps1 man/quintain.1 man/quintain-tasks-list.1; do
			[ -s "${program%/*}/$names" ] || fail "$one lacks $names"
		done
		rm -rf "$scratch/other"
		echo "$platform"
	done
}

from_deb() {
	local deb files
	deb=$(ls "$dist"/quintain_*_"$arch".deb)
	gone /usr/bin/quintain # of another install
	[ "$(dpkg-deb --field "$deb" Version)" = "${version/-/\~}-1" ] || fail "the deb has the version $(dpkg-deb --field "$deb" Version)"
	mapfile -t files < <(dpkg-deb --fsys-tarfile "$deb" | tar -t | grep -v '/$' | sed 's/^\.//')
	apt-get -o DPkg::Lock::Timeout=300 install -y -qq "$deb"
	runs /usr/bin/quintain
	apt-get -o DPkg::Lock::Timeout=300 purge -y -qq quintain
	gone "${files[@]}" /usr/share/doc/quintain
	! dpkg-query --status quintain 2>/dev/null
}

from_rpm() {
	local root=$scratch/root
	mkdir -p "$root"
	rpm --root "$root" --initdb
	rpm --root "$root" --install --nosignature "$dist"/quintain-*."$machine".rpm
	rpm --root "$root" --verify quintain
	runs "$root/usr/bin/quintain"
	rpm --root "$root" --erase quintain
	[ -z "$(find "$root" -name '*quintain*')" ] || fail "still there: $(find "$root" -name '*quintain*')"
	rm -rf "$root"
}

wheel() {
	case $(uname -s) in
	Darwin) ls "$dist"/quintain-*-macosx*"_$machine.whl" ;;
	*) ls "$dist"/quintain-*-manylinux*"_$machine.whl" ;;
	esac
}
used() { # VENV: the package is there, with its program
	runs "$1/bin/quintain"
	"$1/bin/python" -c 'import sys, quintain; assert quintain.__version__ == sys.argv[1], quintain.__version__
task = quintain.task("spell_backward"); one = task.problems(seed=1, count=1)[0]; assert task.grade(one, "no").score < 1' "$python_version"
}
removed() { # VENV
	[ -z "$(find "$1" -iname '*quintain*')" ] || fail "still there: $(find "$1" -iname '*quintain*')"
	rm -rf "$1"
}
python_version=$(sed -E 's/-alpha\./a/; s/-beta\./b/; s/-rc\./rc/' <<<"$version")

from_wheel_by_pip() {
	python3 -m venv "$scratch/venv"
	"$scratch/venv/bin/pip" install --quiet "$(wheel)"
	used "$scratch/venv"
	"$scratch/venv/bin/pip" uninstall --quiet --yes quintain
	removed "$scratch/venv"
}

from_wheel_by_uv() {
	python3 -m venv "$scratch/tools"
	"$scratch/tools/bin/pip" install --quiet uv
	export UV_CACHE_DIR=$scratch/uv
	local uv=$scratch/tools/bin/uv
	"$uv" venv --quiet "$scratch/venv"
	"$uv" pip install --quiet --python "$scratch/venv" "$(wheel)"
	used "$scratch/venv"
	"$uv" pip uninstall --quiet --python "$scratch/venv" quintain
	removed "$scratch/venv"
	rm -rf "$scratch/tools" "$scratch/uv"
}

from_sdist() {
	local sdist=$dist/quintain-$python_version.tar.gz
	python3 -m venv "$scratch/venv"
	if ! PATH=/usr/bin:/bin command -v go; then # it says what it needs
		! PATH=/usr/bin:/bin "$scratch/venv/bin/pip" install "$sdist" >"$scratch/refused" 2>&1
		grep -q 'compiled by Go' "$scratch/refused" || { cat "$scratch/refused"; return 1; }
	fi
	"$scratch/venv/bin/pip" install --quiet "$sdist"
	used "$scratch/venv"
	"$scratch/venv/bin/pip" uninstall --quiet --yes quintain
	removed "$scratch/venv"
}

from_source() {
	GOBIN=$scratch/bin go install ./cmd/quintain
	mkdir "$scratch/at"
	(cd "$scratch/at" && "$scratch/bin/quintain" run --steps 3 --port 0)
	[ "$(ls -A "$scratch/at")" = quintain-data ]
	rm -rf "$scratch/bin" "$scratch/at"
}

from_image() {
	local image=quintain:$version-$arch
	docker load --input "$dist/quintain_${version}_image_$arch.tar"
	docker run --rm "$image" --version | grep -F "quintain v$version "
	docker run --rm --network none --read-only --tmpfs /tmp "$image" run --steps 3 --port 0 --data /tmp/data
	docker create --name "quintain-install-$$" "$image"
	docker export "quintain-install-$$" | tar -t >"$scratch/files"
	docker rm "quintain-install-$$"
	grep -qx THIRD_PARTY_LICENSES.txt "$scratch/files" && grep -qx etc/ssl/certs/ca-certificates.crt "$scratch/files"
	[ "$(docker inspect --format '{{.Config.User}} {{.Config.Entrypoint}}' "$image")" = '65532:65532 [/quintain]' ]
	docker rmi "$image"
}

versions_agree() {
	tar -xzOf "$dist/quintain-chart-$version.tgz" quintain/Chart.yaml | tee "$scratch/chart"
	grep -q "^version: $version$" "$scratch/chart" && grep -q "^appVersion: \"$version\"$" "$scratch/chart"
	[ ! -e "$dist/quintain.rb" ] || ! grep -n 'SHA256\|VERSION' "$dist/quintain.rb"
}

bill_of_materials() {
	python3 -m venv "$scratch/venv"
	"$scratch/venv/bin/pip" install --quiet 'cyclonedx-python-lib[json-validation]==11.12.0'
	"$scratch/venv/bin/python" - "$dist/quintain_$version.cdx.json" <<-'EOF'
		import sys
		from cyclonedx.schema import SchemaVersion
		from cyclonedx.validation.json import JsonStrictValidator
		with open(sys.argv[1]) as f:
		    fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(f.read())
		sys.exit(f"{fault!r}" if fault else 0)
	EOF
	rm -rf "$scratch/venv"
}

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
	(apt-get -o DPkg::Lock::Timeout=300 update -qq && DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends rpm) >/dev/null 2>&1 || true
fi
try 'checksums' checksums
try 'every archive, looked into' all_archives
try 'the versions of the chart and the formula' versions_agree
try 'the bill of materials, by the schema of CycloneDX' bill_of_materials
try 'archive' from_archive
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
	try 'deb, by apt' from_deb
else
	leave_out 'deb: it needs root on Debian'
fi
if command -v rpm >/dev/null; then
	try 'rpm, by rpm in a root of its own' from_rpm
else
	leave_out 'rpm: there is no rpm'
fi
try 'wheel, by pip' from_wheel_by_pip
try 'wheel, by uv' from_wheel_by_uv
try 'sdist, by pip' from_sdist
try 'source, by go install' from_source
if command -v docker >/dev/null && [ -e "$dist/quintain_${version}_image_$arch.tar" ]; then
	try 'image, by docker' from_image
else
	leave_out 'image: it needs docker, and .ci/release/images.sh'
fi
echo "conformance/install.sh: ${word:-all} passed, for quintain v$version on $here"
