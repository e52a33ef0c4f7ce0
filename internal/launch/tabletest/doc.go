// Package tabletest runs tests of the launchers whose cases stand in text files: command lines, the files
// that they name, and the answers of the launchers.
package tabletest
