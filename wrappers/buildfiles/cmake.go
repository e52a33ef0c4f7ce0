package buildfiles

import (
	"fmt"
	"strings"

	"github.com/goacp/goacp/wrappers/toolchain"
)

// The beginning and the end of the package of CMake. Targets are between them.
const (
	cmakeHead = `# find_package(GoACP COMPONENTS acp macp-openmpi fortran): targets GoACP::acp, GoACP::macp-openmpi and
# GoACP::fortran. Without COMPONENTS there are targets for all libraries. The component macp is that of the default MPI.
cmake_minimum_required(VERSION 3.13)
if(TARGET GoACP::acp)
  set(_goacp_defined TRUE)
else()
  set(_goacp_defined FALSE)
endif()

# _goacp_library(NAME KIND FILE [SONAME])
function(_goacp_library name kind file)
  if(NOT _goacp_defined)
    add_library(GoACP::${name} ${kind} IMPORTED)
    set_target_properties(GoACP::${name} PROPERTIES IMPORTED_LOCATION "${file}" IMPORTED_SONAME "${ARGV3}")
  endif()
endfunction()

`
	cmakeTail = `
set(GoACP_FOUND TRUE)
foreach(_goacp_component IN LISTS GoACP_FIND_COMPONENTS)
  if(TARGET GoACP::${_goacp_component})
    set(GoACP_${_goacp_component}_FOUND TRUE)
  else()
    set(GoACP_${_goacp_component}_FOUND FALSE)
    if(GoACP_FIND_REQUIRED_${_goacp_component})
      set(GoACP_FOUND FALSE)
      set(GoACP_NOT_FOUND_MESSAGE "GoACP has no component ${_goacp_component}: expected one of ${_goacp_components}")
    endif()
  endif()
endforeach()
unset(_goacp_component)
unset(_goacp_components)
unset(_goacp_includedir)
unset(_goacp_libdir)
unset(_goacp_defined)
`
	// The number of the soname is the first of the version.
	cmakeVersion = `set(PACKAGE_VERSION "%s")
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION OR NOT PACKAGE_FIND_VERSION_MAJOR EQUAL %s)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
`
)

// cmakeFiles returns the files of the package of CMake by their names.
func cmakeFiles(d *toolchain.Data, at Layout) map[string]string {
	var b strings.Builder
	b.WriteString(cmakeHead)
	place := func(dir string) string { return at.relative("${CMAKE_CURRENT_LIST_DIR}", at.CMake, dir) }
	fmt.Fprintf(&b, "get_filename_component(_goacp_includedir \"%s\" ABSOLUTE)\nget_filename_component(_goacp_libdir \"%s\" ABSOLUTE)\n\n",
		place(at.IncludeDir), place(at.LibDir))
	var names []string
	for _, l := range libraries(d) {
		names = append(names, l.component())
		l.cmake(&b, d, at)
	}
	if len(d.MPI) > 0 {
		names = append(names, "macp")
		fmt.Fprintf(&b, "\nif(NOT _goacp_defined)\n  add_library(GoACP::macp INTERFACE IMPORTED)\n"+
			"  set_target_properties(GoACP::macp PROPERTIES INTERFACE_LINK_LIBRARIES GoACP::macp-%s)\nendif()\n", d.MPI[0].Name)
	}
	fmt.Fprintf(&b, "set(_goacp_components %q)\n", strings.Join(names, " "))
	b.WriteString(cmakeTail)
	major, _, _ := strings.Cut(d.Version, ".")
	return map[string]string{
		"GoACPConfig.cmake":        b.String(),
		"GoACPConfigVersion.cmake": fmt.Sprintf(cmakeVersion, d.Version, major),
	}
}

// component is the name of the library as a component and target of CMake.
func (l library) component() string { return strings.TrimPrefix(l.name, "acp-") }

// cmake writes the target of one library.
func (l library) cmake(b *strings.Builder, d *toolchain.Data, at Layout) {
	folder := "${_goacp_libdir}"
	var include, options, link, linkOptions []string
	if l.mpi != nil {
		folder += "/" + l.mpi.Name
		include = append(include, folder+"/include")
	}
	include = append(include, "${_goacp_includedir}")
	if l.static {
		fmt.Fprintf(b, "_goacp_library(%s STATIC \"%s/lib%s.a\")\n", l.component(), folder, l.link)
	} else {
		major, _, _ := strings.Cut(d.Version, ".")
		fmt.Fprintf(b, "_goacp_library(%s SHARED \"%s/lib%s.so.%s\" lib%s.so.%s)\n", l.component(), folder, l.link, d.Version, l.link, major)
		if !systemFolder(l.folder(at.LibDir)) {
			// CMake itself sets run paths of programs only until they are installed.
			linkOptions = append(linkOptions, "LINKER:-rpath,"+folder)
		}
	}
	if l.main != "" {
		link = append(link, folder+"/lib"+l.main+".a")
	}
	if l.needs != "" {
		link = append(link, "GoACP::"+l.needs)
	} else if l.mpi != nil {
		for _, w := range l.mpi.CFlags {
			if dir, ok := strings.CutPrefix(w, "-I"); ok && dir != "" {
				include = append(include, escaped(dir))
			} else {
				options = append(options, escaped(w))
			}
		}
		for _, w := range l.mpi.LDFlags {
			link = append(link, escaped(w))
		}
	}
	fmt.Fprintf(b, "set_target_properties(GoACP::%s PROPERTIES", l.component())
	for _, p := range []struct {
		name  string
		words []string
	}{
		{"INCLUDE_DIRECTORIES", include}, {"COMPILE_OPTIONS", options}, {"LINK_LIBRARIES", link}, {"LINK_OPTIONS", linkOptions},
	} {
		if len(p.words) > 0 {
			fmt.Fprintf(b, "\n  INTERFACE_%s \"%s\"", p.name, strings.Join(p.words, ";"))
		}
	}
	if l.static { // the modules are in Fortran, with one file in C
		b.WriteString("\n  IMPORTED_LINK_INTERFACE_LANGUAGES Fortran")
	}
	b.WriteString(")\n")
}

// escaped returns a word as an element of a list in a quoted argument of CMake.
func escaped(word string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, `;`, `\\;`).Replace(word)
}
