// Picturegen draws the pictures of the manual: for each docs/pictures/NAME.txt it writes docs/pictures/NAME.svg.
//
//	go run ./gen/picturegen FOLDER
//
// FOLDER is docs/pictures. Package drawing explains the texts.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goacp/goacp/gen/picturegen/drawing"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: picturegen FOLDER")
		os.Exit(2)
	}
	if err := draw(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "picturegen:", err)
		os.Exit(1)
	}
}

// draw draws all pictures of a folder.
func draw(folder string) error {
	names, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		svg, err := drawing.SVG(string(text))
		if err != nil {
			return fmt.Errorf("%s:%w", name, err)
		}
		if err := os.WriteFile(strings.TrimSuffix(name, ".txt")+".svg", []byte(svg), 0o644); err != nil {
			return err
		}
	}
	return nil
}
