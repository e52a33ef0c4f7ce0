// Package litmus has the orders of memory accesses on which the library relies, as short programs of two threads that
// run them many times. Each side of a pattern exists in C and in Go, as far as the library has it there, and is
// tested with every other side. The C sides use the functions of the library where these are in headers, and
// otherwise the same operations in the same order.
//
// Compiled with CGO_CFLAGS=-DLITMUS_WITHOUT_FENCES the sides lack the fences that keep their order. Then the tests
// have to fail where the processor reorders the accesses: store buffering fails on every processor with more than one
// core.
package litmus
