# The function that makes clean systems, for the scripts of this folder and of others. They define fail and folder. MIRROR is the
# archive of Debian.
MIRROR=${MIRROR:-http://deb.debian.org/debian}

# system SUITE: makes FOLDER/SUITE.tar, a clean system, unless it is there.
system() {
    local suite=$1 root=$folder/$1-new
    [ ! -f "$folder/$suite.tar" ] || return 0
    rm -rf "$root"
    debootstrap --variant=minbase "$suite" "$root" "$MIRROR" >"$folder/$suite.log" 2>&1 ||
        fail "debootstrap of $suite failed, see $folder/$suite.log"
    tar -C "$root" --one-file-system -cf "$folder/$suite.tar.new" .
    mv "$folder/$suite.tar.new" "$folder/$suite.tar"
    rm -rf "$root"
}
