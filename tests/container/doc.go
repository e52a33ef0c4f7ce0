// Package container has the check of the image for containers:
//
//	make check-container
//
// check.sh makes a clean system by debootstrap, builds packaging/container/Containerfile on it by buildah, and compiles and runs
// programs in the image. It needs root, the network, debootstrap and buildah, which ./bootstrap --container installs.
package container
