# folder.sh is what the scripts beside it begin with: they source it with their arguments. It sets here,
# build and folder, which is the first argument, and makes the latter.

fail() {
    echo "check-ga: $*" >&2
    exit 1
}

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$here/../../build" && pwd) || fail "run make first"
[ $# -ge 1 ] || fail "usage: $(basename "$0") FOLDER [OPTION...]"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
