// Package addressspace makes a program that imports it need little address space, and ends the program with
// a message if address space is limited (ulimit -v) to less than the runtime of Go needs. Without cgo it
// does nothing: then the runtime needs less, and ends the program itself.
package addressspace
