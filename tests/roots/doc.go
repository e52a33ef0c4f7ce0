// Package roots has the check of the packages of Debian in clean systems:
//
//	make check-roots
//
// check.sh installs the packages that check-debian has built into systems that debootstrap makes, uses them there by
// inside.sh, and removes them. It needs root, the network, and debootstrap, which ./bootstrap --roots installs.
package roots
