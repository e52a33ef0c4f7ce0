// Package source finds the lines of programs in C and Fortran that addresses of their processes belong to. It
// reads /proc/PID/maps and the files of the program, without the process.
//
// A [Finder] prefers the line that the compiler has recorded (DWARF, option -g). Otherwise it names the
// function of the symbol table. It finds nothing in the libraries of GoACP themselves.
package source
