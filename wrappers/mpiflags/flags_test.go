package mpiflags

import (
	"slices"
	"strings"
	"testing"
)

func TestFromShow(t *testing.T) {
	tests := []struct {
		name, line    string
		compile, link string // words apart by |
	}{
		{
			"Open MPI 4.1.4 of Debian",
			"gcc -I/usr/lib/x86_64-linux-gnu/openmpi/include -I/usr/lib/x86_64-linux-gnu/openmpi/include/openmpi -L/usr/lib/x86_64-linux-gnu/openmpi/lib -lmpi",
			"-I/usr/lib/x86_64-linux-gnu/openmpi/include|-I/usr/lib/x86_64-linux-gnu/openmpi/include/openmpi",
			"-L/usr/lib/x86_64-linux-gnu/openmpi/lib|-lmpi",
		},
		{
			"MPICH 4.0.2 of Debian",
			"gcc -Wl,-z,relro -I/usr/include/x86_64-linux-gnu/mpich -L/usr/lib/x86_64-linux-gnu -lmpich",
			"-I/usr/include/x86_64-linux-gnu/mpich",
			"-Wl,-z,relro|-L/usr/lib/x86_64-linux-gnu|-lmpich",
		},
		{
			"MPICH of Fedora",
			"gcc -m64 -O2 -fPIC -Wl,-z,noexecstack -I/usr/include/mpich-x86_64 -L/usr/lib64/mpich/lib -lmpi",
			"-m64|-O2|-fPIC|-I/usr/include/mpich-x86_64",
			"-m64|-fPIC|-Wl,-z,noexecstack|-L/usr/lib64/mpich/lib|-lmpi",
		},
		{
			"Open MPI with run path and threads",
			"gcc -I/opt/ompi/include -pthread -L/opt/ompi/lib -Wl,-rpath -Wl,/opt/ompi/lib -Wl,--enable-new-dtags -lmpi",
			"-I/opt/ompi/include|-pthread",
			"-pthread|-L/opt/ompi/lib|-Wl,-rpath|-Wl,/opt/ompi/lib|-Wl,--enable-new-dtags|-lmpi",
		},
		{
			"Intel MPI",
			`gcc -I"/opt/intel/oneapi/mpi/2021.9.0/include" -L"/opt/intel/oneapi/mpi/2021.9.0/lib/release" -L"/opt/intel/oneapi/mpi/2021.9.0/lib" -Xlinker --enable-new-dtags -Xlinker -rpath -Xlinker "/opt/intel/oneapi/mpi/2021.9.0/lib/release" -lmpifort -lmpi -lrt -lpthread -ldl`,
			"-I/opt/intel/oneapi/mpi/2021.9.0/include",
			"-L/opt/intel/oneapi/mpi/2021.9.0/lib/release|-L/opt/intel/oneapi/mpi/2021.9.0/lib|-Xlinker|--enable-new-dtags|-Xlinker|-rpath|-Xlinker|/opt/intel/oneapi/mpi/2021.9.0/lib/release|-lmpifort|-lmpi|-lrt|-lpthread|-ldl",
		},
		{
			"Cray-like wrapper with an archive",
			"/opt/cray/bin/cc -I/opt/cray/include /opt/cray/lib/libmpi.a -lm",
			"-I/opt/cray/include",
			"/opt/cray/lib/libmpi.a|-lm",
		},
		{
			"blanks lost their quotes",
			"gcc -I/home/j doe/my mpi/include -L/home/j doe/my mpi/lib -Wl,-rpath,/home/j doe/my mpi/lib -lmpi",
			"-I/home/j doe/my mpi/include",
			"-L/home/j doe/my mpi/lib|-Wl,-rpath,/home/j doe/my mpi/lib|-lmpi",
		},
		{
			"blanks in quotes and behind backslashes",
			`gcc "-I/opt/my mpi/include" -I'/opt/other mpi' -L/opt/my\ mpi/lib -lmpi`,
			"-I/opt/my mpi/include|-I/opt/other mpi",
			"-L/opt/my mpi/lib|-lmpi",
		},
		{
			"compiler of two words, flags with their own words",
			"ccache gcc -I /opt/mpi/include -D NDEBUG -L /opt/mpi/lib -l mpi",
			"-I|/opt/mpi/include|-D|NDEBUG",
			"-L|/opt/mpi/lib|-l|mpi",
		},
		{
			"compiler in a folder with a blank",
			"/opt/my tools/gcc -I/opt/mpi/include -lmpi",
			"-I/opt/mpi/include",
			"-lmpi",
		},
		{
			"a relative archive after -L stays a file",
			"gcc -L/opt/lib libmpi.a",
			"",
			"-L/opt/lib|libmpi.a",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := FromShow(tt.line)
			if err != nil {
				t.Fatal(err)
			}
			if c := strings.Join(got.Compile, "|"); c != tt.compile {
				t.Errorf("compile\n got %s\nwant %s", c, tt.compile)
			}
			if l := strings.Join(got.Link, "|"); l != tt.link {
				t.Errorf("link\n got %s\nwant %s", l, tt.link)
			}
		})
	}
}

func TestFromShowRefuses(t *testing.T) {
	for _, line := range []string{"", "gcc", "-I/only/flags", `gcc -I"/open`, `gcc -I/x\`} {
		if got, err := FromShow(line); err == nil {
			t.Errorf("FromShow(%q) = %v, want an error", line, got)
		}
	}
}

func TestFromParts(t *testing.T) {
	tests := []struct {
		name, compileLine, linkLine string
		compile, link               string
	}{
		{
			"Open MPI says only what was asked",
			"-I/opt/ompi/include -pthread\n",
			"-pthread -L/opt/ompi/lib -lmpi\n",
			"-I/opt/ompi/include|-pthread",
			"-pthread|-L/opt/ompi/lib|-lmpi",
		},
		{
			"MPICH of Debian repeats the whole line",
			"gcc -Wl,-z,relro -I/usr/include/x86_64-linux-gnu/mpich -L/usr/lib/x86_64-linux-gnu -lmpich",
			"gcc -Wl,-z,relro -I/usr/include/x86_64-linux-gnu/mpich -L/usr/lib/x86_64-linux-gnu -lmpich",
			"-I/usr/include/x86_64-linux-gnu/mpich",
			"-Wl,-z,relro|-L/usr/lib/x86_64-linux-gnu|-lmpich",
		},
		{
			"MPI in the system's folders",
			"\n",
			"-lmpi\n",
			"",
			"-lmpi",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := FromParts(tt.compileLine, tt.linkLine)
			if err != nil {
				t.Fatal(err)
			}
			if c, l := strings.Join(got.Compile, "|"), strings.Join(got.Link, "|"); c != tt.compile || l != tt.link {
				t.Errorf("got %s and %s\nwant %s and %s", c, l, tt.compile, tt.link)
			}
		})
	}
	for _, bad := range [][2]string{{"", ""}, {"'", ""}, {"", "gcc \""}} {
		if got, err := FromParts(bad[0], bad[1]); err == nil {
			t.Errorf("FromParts(%q, %q) = %v, want an error", bad[0], bad[1], got)
		}
	}
}

func TestSplit(t *testing.T) {
	tests := []struct {
		line string
		want []string
	}{
		{"", nil},
		{" \t\n", nil},
		{"a  b\tc\n", []string{"a", "b", "c"}},
		{`''`, []string{""}},
		{`a'b c'd`, []string{"ab cd"}},
		{`"a\"b" "a\nb" '\'`, []string{`a"b`, `a\nb`, `\`}},
		{`a\ b \$x`, []string{"a b", "$x"}},
	}
	for _, tt := range tests {
		got, err := Split(tt.line)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("Split(%q) = %q, %v, want %q", tt.line, got, err, tt.want)
		}
	}
}

// FuzzJoin checks that Split reads back the words that Join has joined.
func FuzzJoin(f *testing.F) {
	f.Add("plain", "with blank")
	f.Add("", "it's")
	f.Add(`back\slash`, "$HOME\n\"q\"")
	f.Fuzz(func(t *testing.T, a, b string) {
		words := []string{a, b}
		got, err := Split(Join(words))
		if err != nil || !slices.Equal(got, words) {
			t.Errorf("Split(Join(%q)) = %q, %v", words, got, err)
		}
	})
}
