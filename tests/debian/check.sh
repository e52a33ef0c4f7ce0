#!/usr/bin/env bash
# check.sh ARCHIVE FOLDER: builds the packages of Debian from the archive of make dist, and fails if lintian warns of them.
# Then it unpacks the packages and looks whether the programs and libraries in them find each other. FOLDER keeps the
# packages. `make check-debian` calls it.
set -euo pipefail

fail() {
    echo "check-debian: $*" >&2
    exit 1
}

[ $# = 2 ] || fail "usage: check.sh ARCHIVE FOLDER"
source=$(cd "$(dirname "$0")/../.." && pwd)
archive=$(realpath "$1")
rm -rf "$2"
mkdir -p "$2"
cd "$2"
folder=$(pwd)

upstream=$(sed -n '1s/.*(\(.*\)-[0-9]*).*/\1/p' "$source/debian/changelog")
cp "$archive" "goacp_$upstream.orig.tar.gz"
tar -xzf "goacp_$upstream.orig.tar.gz"
[ -d "goacp-$upstream" ] || fail "the archive is not of version $upstream, which debian/changelog has"
cp -a "$source/debian" "goacp-$upstream"
# Go may be a newer one than that of the packages, so dpkg does not check what the build depends on.
(cd "goacp-$upstream" && dpkg-buildpackage -us -uc -d)
root=()
[ "$(id -u)" != 0 ] || root=(--allow-root)
lintian "${root[@]}" --fail-on error,warning goacp_*.changes

for package in *.deb; do
    case $package in
        *-dbgsym_*) ;;
        *) dpkg-deb -x "$package" "$folder/root" ;;
    esac
done
multiarch=$(dpkg-architecture -q DEB_HOST_MULTIARCH)
libraries=$folder/root/usr/lib/$multiarch
"$folder/root/usr/bin/acprun" -version
preloaded=$("$folder/root/usr/bin/acprun" -mhooksmall -np 1 /bin/sh -c 'echo $LD_PRELOAD')
[ "$preloaded" = "$libraries/libacphook.so" ] || fail "acprun -mhooksmall preloads '$preloaded'"
export LD_LIBRARY_PATH=$libraries PKG_CONFIG_PATH=$libraries/pkgconfig
for libs in "-lacp" "-lgp -lacp" "-larmci -lacp" "-L$libraries/openmpi -lmacp" "-L$libraries/mpich -lmacp"; do
    # shellcheck disable=SC2086
    echo 'int main(void) { return 0; }' |
        gcc -x c - -o "$folder/program" -Wl,--no-as-needed -L"$libraries" $libs || fail "no program is linked with $libs"
    LD_LIBRARY_PATH=$libraries:$libraries/openmpi "$folder/program" || fail "a program with $libs does not run"
done
echo "check-debian: packages in $folder"
