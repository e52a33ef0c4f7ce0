package config

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/endpoint"
	"github.com/goacp/goacp/internal/ground/spelling"
	"github.com/goacp/goacp/internal/system/couple/description"
	"github.com/spf13/pflag"
)

// Options is a parsed command line of a launcher.
type Options struct {
	NP             int      // number of processes; 0 = not given
	Add            int      // processes to add to the run of To; 0 = none
	Max            int      // ranks that the job can ever have; 0 = their number is fixed
	Nodes          bool     // list the processes of the run of To
	Leave          []int    // ranks of the run of To that are asked to leave, ascending
	SlurmJob       string   // job of Slurm to which the hosts of a part of a run belong; "" = that around it, or none
	Job            string   // the job of the run of To that gets the processes of Add; "" = the only one that can grow
	StarterSize    Size     // starter memory, bytes per process
	StarterSizeCL  Size     // accepted, not used
	StarterSizeDL  Size     // limit of the global heap, bytes per process
	ChannelSize    Size     // bytes of the buffer of a channel
	Nodefile       string   // path of the nodefile; "" = none
	Hosts          []string // hosts of -host; nil = none
	Net            string   // auto, shm, rma, tcp; "" = not given
	RDMA           string   // yes, no, auto; "" = not given
	OnError        string   // return, report, abort; "" = not given
	Couple         string   // links between fields; "" = not given
	Interface      string   // interfaces, addresses or networks; "" = not given
	PortRange      string   // first and last port; "" = not given
	RemoteShell    string   // command; "" = not given
	Verbose, Debug bool
	TagOutput      bool
	Secure         bool          // all connections of the run are encrypted
	To             Target        // the run to which the processes attach; zero = none
	Guests         Guests        // how many processes can attach
	Join           string        // host or network; "" = not given
	Timeout        time.Duration // 0 = no limit
	Stall          time.Duration // how long all ranks wait before the launcher reports it; 0 = not given, NoStall = never
	Stats          bool          // print what ranks transfer
	Trace          string        // file of the page that shows it; "" = none
	DebugLayers    string        // layers of the log; "" = none
	DebugFile      string        // files of the log; "" = standard error
	Help, HelpAll  bool
	Version        bool
	Hook           Hook     // acprun: blocks of malloc that other processes map
	List           bool     // dmimw: list the runs
	Seats          int      // dmimw: processes that can ever be in the run; 0 = not given
	OnHost         int      // dmimw: the greatest number of processes on one host; 0 = not known
	Multirun       bool     // acprun: part of a run of macprun
	OffsetRank     int      // acprun: first rank of the job
	Args           []string // acprun: program and arguments; macprun: at most the inputfile
}

// Counts reports whether ranks count their transfers.
func (o *Options) Counts() bool { return o.Stats || o.Trace != "" }

// Attaches reports whether the processes are guests of another run.
func (o *Options) Attaches() bool { return o.To.Set }

// Guests is a number of processes that can attach to a run, or none.
type Guests struct {
	N     int
	Given bool
}

// DefaultGuests is how many processes can attach to a run if the user does not choose the number.
const DefaultGuests = 4096

// Seats returns how many processes can attach to a run of size processes.
func (g Guests) Seats(size int) int {
	if !g.Given {
		return min(DefaultGuests, MaxProcesses-size)
	}
	return g.N
}

// Size is a number of bytes, or none.
type Size struct {
	Bytes int64
	Given bool
}

// UsageError is a mistake in a command line. Its text is one line and names the option and the expected
// value.
type UsageError struct {
	Option string // as it was written; "" where no single option is to blame
	Err    error
}

// Error implements error.
func (e *UsageError) Error() string {
	if e.Option == "" {
		return e.Err.Error()
	}
	return "option " + e.Option + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// ParseOptions parses the arguments of a launcher.
func ParseOptions(p Program, args []string) (*Options, error) {
	words, rest, err := normalise(p, args)
	if err != nil {
		return nil, err
	}
	opts := &Options{}
	flags := pflag.NewFlagSet(p.String(), pflag.ContinueOnError)
	flags.SetInterspersed(false)
	flags.SetOutput(io.Discard)
	for _, s := range settings() {
		if s.programs&p == 0 {
			continue
		}
		flag := flags.VarPF(&optionValue{opts: opts, setting: s, program: p}, s.name, "", s.help)
		if s.kind == kindFlag {
			flag.NoOptDefVal = "true"
		}
	}
	for _, w := range words {
		if err := flags.Set(w.name, w.value); err != nil {
			return nil, &UsageError{Option: w.spelling, Err: errors.Unwrap(err)}
		}
	}
	opts.Args = rest
	return opts, checkArguments(p, opts, words)
}

// checkArguments checks the command line as a whole, which has the options in words.
func checkArguments(p Program, opts *Options, words []word) error {
	if opts.Help || opts.HelpAll || opts.Version || opts.List {
		return nil
	}
	if p == Dmimw && opts.Attaches() && opts.NP > 0 {
		opts.Add, opts.NP = opts.NP, 0 // the processes of a run of DMI come as residents
	}
	if opts.Resizes() {
		return opts.checkResize(p, words)
	}
	if opts.Job != "" {
		return errJobAlone
	}
	if p == Macprun {
		if len(opts.Args) > 1 {
			opts.Args = opts.Args[:1]
		}
		return nil
	}
	if len(opts.Args) == 0 {
		return &UsageError{Err: errors.New("no program given; " + p.synopsis())}
	}
	if opts.Max > 0 && opts.Max < opts.NP {
		return &UsageError{Option: "-max", Err: fmt.Errorf("%d is less than the %d processes of -np", opts.Max, opts.NP)}
	}
	if err := opts.Hook.check(); err != nil {
		return err
	}
	for _, arg := range opts.Args[1:] {
		if strings.HasPrefix(arg, "--acp-") && !inProcessOption(arg) {
			return &UsageError{Option: arg, Err: errors.New("stands after the program; options of acprun stand before it, and a program cannot have options that begin with --acp-")}
		}
	}
	return nil
}

// inProcessOption reports whether arg is an option that acp_init itself removes from a
// program's arguments.
func inProcessOption(arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	switch name {
	case "--acp-myrank", "--acp-nprocs", "--acp-taskid", "--acp-port-local", "--acp-port-remote",
		"--acp-host-remote", "--acp-size-smem", "--acp-size-smem-cl", "--acp-size-smem-dl",
		"--acp-ethernet-speed", "--acp-portfile", "--acp-offsetrank", "--acp-malloc-hook-small",
		"--acp-malloc-hook-large", "--acp-malloc-hook-huge", "--acp-malloc-hook-low", "--acp-malloc-hook-high":
		return true
	}
	return false
}

// word is one option of a command line, under its preferred name.
type word struct {
	name     string // setting.name
	spelling string // as the user wrote it
	resize   resizing
	value    string
}

// normalise splits args into options under their preferred names and the words from the first
// one on that is no option. Long options of ACP have one dash, which packages for command
// lines do not parse.
func normalise(p Program, args []string) (words []word, rest []string, err error) {
	table := map[string]setting{}
	for _, s := range settings() {
		if s.programs&p == 0 {
			continue
		}
		for _, name := range s.short {
			table["-"+name] = s
		}
		for _, name := range s.long {
			table["--"+name] = s
		}
	}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			return words, args, nil
		}
		if len(arg) < 2 || arg[0] != '-' {
			return words, append([]string{arg}, args...), nil
		}
		option, value, hasValue := strings.Cut(arg, "=")
		s, known := table[option]
		if !known {
			return nil, nil, unknownOption(p, option, table)
		}
		switch {
		case s.kind == kindFlag && hasValue:
			return nil, nil, &UsageError{Option: option, Err: errors.New("takes no value")}
		case s.kind == kindFlag:
			value = "true"
		case !hasValue && len(args) == 0:
			return nil, nil, &UsageError{Option: option, Err: fmt.Errorf("value %s is missing", s.value)}
		case !hasValue:
			value, args = args[0], args[1:]
		}
		words = append(words, word{name: s.name, spelling: option, resize: s.resize, value: value})
	}
	return words, nil, nil
}

// unknownOption returns the error for an option that p does not have. The error suggests the option that the
// user may have meant.
func unknownOption(p Program, option string, table map[string]setting) error {
	names := make([]string, 0, len(table))
	for name, s := range table {
		if !s.hidden {
			names = append(names, name)
		}
	}
	if advice := adviceFor(option); advice != "" {
		return &UsageError{Option: option, Err: fmt.Errorf("unknown to %s; %s", p, advice)}
	}
	if near := spelling.Nearest(option, names); near != "" {
		return &UsageError{Option: option, Err: fmt.Errorf("unknown to %s; did you mean %s?", p, near)}
	}
	return &UsageError{Option: option, Err: fmt.Errorf("unknown to %s; %s -help-all lists the options", p, p)}
}

// optionValue stores the value of one setting in Options. It implements pflag.Value.
type optionValue struct {
	opts    *Options
	setting setting
	program Program
}

// String implements pflag.Value. pflag prints no defaults here.
func (v *optionValue) String() string { return "" }

// Type implements pflag.Value.
func (v *optionValue) Type() string { return v.setting.value }

// Set implements pflag.Value.
func (v *optionValue) Set(text string) error {
	switch v.setting.kind {
	case kindFlag:
		return v.setFlag(text)
	case kindCount, kindRank:
		return v.setNumber(text)
	case kindSize:
		return v.setSize(text)
	case kindDuration:
		d, err := parseTimeout(text)
		v.opts.Timeout = d
		return err
	case kindStall:
		d, err := parseStall(text)
		v.opts.Stall = d
		return err
	case kindHosts:
		hosts, err := parseHosts(text)
		v.opts.Hosts = hosts
		return err
	case kindNet:
		return v.setNet(text)
	case kindRDMA:
		return v.setRDMA(text)
	case kindOnError:
		v.opts.OnError = text
		return checkOnError(text)
	case kindTarget:
		target, err := ParseTarget(text)
		v.opts.To = target
		return err
	case kindRanks:
		ranks, err := parseRanks(text)
		v.opts.Leave = ranks
		return err
	case kindGuests:
		return v.setGuests(text)
	case kindJoin:
		v.opts.Join = text
		return checkJoin(text)
	case kindLinks:
		links, err := findLinks(text)
		v.opts.Couple = links
		return err
	case kindLayers:
		v.opts.DebugLayers = text
		return debuglog.Check(text)
	case kindInterfaces:
		v.opts.Interface = text
		return endpoint.CheckInterfaces(text)
	case kindPorts:
		v.opts.PortRange = text
		return endpoint.CheckPorts(text)
	default:
		return v.setText(text)
	}
}

func (v *optionValue) setFlag(text string) error {
	on, err := bridge.ParseSecure(text)
	if err != nil {
		return err
	}
	o := v.opts
	target, used := map[string]*bool{"verbose": &o.Verbose, "debug": &o.Debug, "tag-output": &o.TagOutput,
		"secure": &o.Secure, "stats": &o.Stats, "help": &o.Help, "help-all": &o.HelpAll, "version": &o.Version, "multirun": &o.Multirun, "list": &o.List, "nodes": &o.Nodes,
		"mhooksmall": &o.Hook.Small, "mhooklarge": &o.Hook.Large, "mhookhuge": &o.Hook.Huge}[v.setting.name]
	if used {
		*target = on
	}
	return nil
}

func (v *optionValue) setNumber(text string) error {
	if v.setting.kind == kindRank {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n >= MaxProcesses {
			return fmt.Errorf("%q is not a rank; expected a number from 0 on", text)
		}
		v.opts.OffsetRank = n
		return nil
	}
	more, adds := strings.CutPrefix(text, "+")
	if adds && v.setting.name == "np" {
		n, err := parseCount(more)
		v.opts.Add = n
		return err
	}
	n, err := parseCount(text)
	switch v.setting.name {
	case "np":
		v.opts.NP = n
	case "max":
		v.opts.Max = n
	case "seats":
		v.opts.Seats = n
	}
	return err
}

func (v *optionValue) setSize(text string) error {
	n, err := parseSize(text)
	if err != nil {
		return err
	}
	if n < 0 || (n == 0 && v.program != Macprun) {
		bound := "greater than 0"
		if v.program == Macprun {
			bound = "0 or more"
		}
		return fmt.Errorf("%s must be %s", text, bound)
	}
	o := v.opts
	target, used := map[string]*Size{"startermemsize": &o.StarterSize, "startermemsize-cl": &o.StarterSizeCL,
		"startermemsize-dl": &o.StarterSizeDL, "channelmemsize": &o.ChannelSize, "mhooklow": &o.Hook.Low, "mhookhigh": &o.Hook.High}[v.setting.name]
	if used {
		*target = Size{Bytes: n, Given: true}
	}
	return nil
}

func (v *optionValue) setNet(text string) error {
	if text == "" {
		return fmt.Errorf("the value %s is empty", v.setting.value)
	}
	mode, err := bridge.ParseMode(text)
	if err != nil {
		return err
	}
	if mode == bridge.ModeRMA && v.program == Dmimw {
		return errors.New("rma: windows of MPI cannot take in processes that come later; expected auto, shm or tcp")
	}
	v.opts.Net = mode.String()
	return nil
}

func (v *optionValue) setRDMA(text string) error {
	if text == "" {
		return fmt.Errorf("the value %s is empty", v.setting.value)
	}
	_, _, err := bridge.ParseRDMA(text)
	v.opts.RDMA = text
	return err
}

func (v *optionValue) setGuests(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n >= MaxProcesses {
		return fmt.Errorf("%q is not a number of guests; expected 0 to %d", text, MaxProcesses-1)
	}
	v.opts.Guests = Guests{N: n, Given: true}
	return nil
}

// Hosts from which processes can attach to a run.
const (
	JoinHost    = "host"
	JoinNetwork = "network"
)

func checkJoin(text string) error {
	if text != JoinHost && text != JoinNetwork {
		return fmt.Errorf("%q: expected %s or %s", text, JoinHost, JoinNetwork)
	}
	return nil
}

// checkOnError accepts what acp.ParseOnError accepts.
func checkOnError(text string) error {
	switch text {
	case "return", "report", "abort":
		return nil
	}
	return fmt.Errorf("%q: expected return, report or abort", text)
}

func (v *optionValue) setText(text string) error {
	if text == "" {
		return fmt.Errorf("the value %s is empty", v.setting.value)
	}
	switch v.setting.name {
	case "nodefile":
		v.opts.Nodefile = text
	case "rsh":
		v.opts.RemoteShell = text
	case "trace":
		v.opts.Trace = text
	case "debug-file":
		v.opts.DebugFile = text
	case "slurmjob":
		v.opts.SlurmJob = text
	case "job":
		v.opts.Job = text
		return bridge.CheckJobName(text)
	}
	return nil
}

// findLinks checks links, and makes the names of files in them absolute.
func findLinks(text string) (string, error) {
	links, err := description.Parse(text)
	if err != nil {
		return "", err
	}
	var words []string
	for _, l := range links {
		if err := errors.Join(l.FindWeights("."), l.FindInitial("."), l.FindRecord(".")); err != nil {
			return "", err
		}
		words = append(words, l.String())
	}
	return strings.Join(words, " "), nil
}
