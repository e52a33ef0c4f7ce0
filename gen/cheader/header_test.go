package cheader

import (
	"strings"
	"testing"
)

// TestHeader: comments, conditions, macros and declarations of several lines.
func TestHeader(t *testing.T) {
	top, groups, err := Parse(`/* The header. */
#ifndef H
#define H
/* ---- One ---- */
#define LIMIT 8 /* most */
#define PAIR_ \
  int first, \
      int second
/* First of all: does it. More.
 *
 * Returns 0.
 *
 * Any process. Does not block. */
ARMCI_BOTH_(int, Do, (PAIR_, char * text));
#ifdef OTHER
/* Other things. */
void other(void);
#endif
int again(int a,
          int b); /* of the first */
/* A type. */
typedef struct {
  int a; /* its a */
} type_t;
#endif
`)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(top, " ") != "The header." {
		t.Errorf("top %q", top)
	}
	var got []string
	for _, g := range groups {
		line := g.Section + "|" + strings.Join(g.Comment, "/") + "|" + strings.Join(g.Constants, ";")
		for _, f := range g.Functions {
			line += "|" + strings.Join(f.Names, ",") + " " + f.Declaration
		}
		for _, lines := range g.Types {
			line += "|" + strings.Join(lines, "/")
		}
		got = append(got, line)
	}
	want := []string{
		"One||#define LIMIT 8 /* most */",
		"One|First of all: does it. More.//Returns 0.//Any process. Does not block.||" +
			"ARMCI_Do,PARMCI_Do int ARMCI_Do(int first, int second, char *text);|again int again(int a, int b);",
		"One|Other things.||other void other(void);",
		"One|A type.||typedef struct {/  int a; /* its a *//} type_t;",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if note := groups[1].Functions[1].Note; note != "/* of the first */" {
		t.Errorf("note %q", note)
	}
}

// TestHeaderRefuses: a declaration without a rule is an error.
func TestHeaderRefuses(t *testing.T) {
	for _, text := range []string{"/* top */\nint array[3];\n", "/* top */\nint f(void\n"} {
		if _, _, err := Parse(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}
