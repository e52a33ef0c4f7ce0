// Package buildfiles writes the files by which build systems find GoACP: those of pkg-config and the package
// GoACP of CMake. configure writes them twice, for the build folder and for the installed copy.
//
// The files name folders relative to themselves, so that an installation or a build folder can be moved as a whole.
// Folders outside of the prefix, and all folders below /usr, have absolute names there.
package buildfiles
