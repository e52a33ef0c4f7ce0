package source

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// image is an open program or shared library.
type image struct {
	from    *os.File
	file    *elf.File
	lines   *dwarf.Data // nil if there are none, or if they have not been read
	read    bool        // lines and symbols have been read
	symbols []elf.Symbol
}

// maxRead is how many bytes of symbols, and of lines and types, are read from a file. Larger sections are not
// read.
const maxRead = 256 << 20

// maxName is how many bytes of a name are of use.
const maxName = 80

// newImage returns the image in a file and takes the file over. Fails if the file is no image.
func newImage(from *os.File) (*image, error) {
	file, err := elf.NewFile(from)
	if err != nil {
		return nil, err
	}
	return &image{from: from, file: file}, nil
}

// addressOf returns the address that symbols use for an offset of the file.
func (i *image) addressOf(offset uint64) (uint64, bool) {
	for _, p := range i.file.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 && offset >= p.Off && offset-p.Off < p.Filesz {
			return offset - p.Off + p.Vaddr, true
		}
	}
	return 0, false
}

// line returns the text of [Finder.Line] for a return address.
func (i *image) line(address uint64) string {
	if !i.read {
		i.readAll()
	}
	function, known := i.function(address)
	if known && ofModule(function.Name) {
		return ""
	}
	if text := i.lineOf(address - 1); text != "" { // the call is in front of where it returns to
		return text
	}
	if !known {
		return ""
	}
	return fmt.Sprintf("%s+%#x", shorten(function.Name), address-function.Value)
}

// readAll reads the symbols and lines of the file.
func (i *image) readAll() {
	i.read = true
	if i.size(".symtab", ".strtab", ".dynsym", ".dynstr") <= maxRead {
		i.readSymbols()
	}
	if debug := i.size(".debug_"); debug > 0 && debug <= maxRead {
		i.lines, _ = i.file.DWARF() // symbols are better than nothing
	}
}

// size returns the bytes of all sections whose names begin so.
func (i *image) size(prefixes ...string) (bytes uint64) {
	for _, s := range i.file.Sections {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s.Name, p) }) {
			bytes += s.Size
		}
	}
	return bytes
}

func (i *image) readSymbols() {
	symbols, err := i.file.Symbols()
	if err != nil || len(symbols) == 0 {
		symbols, _ = i.file.DynamicSymbols() // a stripped program has those that it shares
	}
	i.symbols = slices.DeleteFunc(symbols, func(s elf.Symbol) bool {
		return elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Section == elf.SHN_UNDEF
	})
	slices.SortStableFunc(i.symbols, func(a, b elf.Symbol) int { return cmp.Compare(a.Value, b.Value) })
}

// lineOf returns the file and line of the instruction at an address, or "".
func (i *image) lineOf(address uint64) string {
	if i.lines == nil {
		return ""
	}
	unit, err := i.lines.Reader().SeekPC(address)
	if err != nil {
		return ""
	}
	lines, err := i.lines.LineReader(unit)
	if err != nil || lines == nil {
		return ""
	}
	// LineReader.SeekPC requires the functions of a unit in order of address. Linkers put main before the
	// other functions.
	var entry, next dwarf.LineEntry
	for entry.EndSequence = true; lines.Next(&next) == nil; entry = next {
		if !entry.EndSequence && entry.Address <= address && address < next.Address {
			if entry.File == nil || entry.Line == 0 {
				return ""
			}
			return shorten(path.Base(entry.File.Name)) + ":" + strconv.Itoa(entry.Line)
		}
	}
	return ""
}

// function returns the function that an address is in, or that ends there with a call.
func (i *image) function(address uint64) (elf.Symbol, bool) {
	at, _ := slices.BinarySearchFunc(i.symbols, address, func(s elf.Symbol, address uint64) int { return cmp.Compare(s.Value, address) })
	for at--; at >= 0; at-- {
		s := i.symbols[at]
		if address-s.Value <= s.Size {
			return s, true
		}
		if s.Size != 0 {
			break
		}
	}
	return elf.Symbol{}, false
}

// ofModule reports whether a function is part of the Fortran modules of GoACP.
func ofModule(function string) bool {
	return strings.HasPrefix(function, "__acp_MOD_") || strings.HasPrefix(function, "__acp_couple_MOD_")
}

// shorten returns the end of a long name.
func shorten(name string) string { return name[max(0, len(name)-maxName):] }
