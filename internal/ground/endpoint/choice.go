package endpoint

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/goacp/goacp/internal/ground/envvar"
)

// Names of the environment variables with a choice.
const (
	EnvInterface = envvar.Interface
	EnvPortRange = envvar.PortRange
)

// Names of the options of the launchers, for messages.
const (
	optionInterface = "-interface (" + EnvInterface + ")"
	optionPortRange = "-portrange (" + EnvPortRange + ")"
)

// Choice is the set of addresses and ports that the user allows. The zero value allows every address and
// port.
type Choice struct {
	interfaces []string // names, addresses or networks, in order of preference
	first      uint16   // of the ports; 0: the system chooses
	last       uint16
}

// FromEnv parses the variables of a choice, which getenv (os.Getenv) returns. Errors name the
// variable and what was expected.
func FromEnv(getenv func(string) string) (Choice, error) {
	return Parse(getenv(EnvInterface), getenv(EnvPortRange))
}

// Parse parses a choice. interfaces is a list of names, addresses and networks, separated by
// commas. ports is the first and the last port, with a dash between. Either may be empty.
// Parse does not check whether the interfaces exist, because hosts differ. Errors name the
// option and what was expected. Pure.
func Parse(interfaces, ports string) (Choice, error) {
	var c Choice
	if err := CheckInterfaces(interfaces); interfaces != "" && err != nil {
		return c, fmt.Errorf("option %s: %w", optionInterface, err)
	}
	if interfaces != "" {
		c.interfaces = strings.Split(interfaces, ",")
	}
	if ports == "" {
		return c, nil
	}
	var err error
	if c.first, c.last, err = parsePorts(ports); err != nil {
		return Choice{}, fmt.Errorf("option %s: %w", optionPortRange, err)
	}
	return c, nil
}

// CheckInterfaces returns an error if a list of interfaces is malformed. Pure.
func CheckInterfaces(list string) error {
	for _, name := range strings.Split(list, ",") {
		_, network := netip.ParsePrefix(name)
		if name == "" || strings.ContainsAny(name, " \t\n") || strings.Contains(name, "/") && network != nil {
			return fmt.Errorf("%q: expected names of interfaces, addresses or networks, separated by commas, such as eth0 or 10.1.0.0/16", list)
		}
	}
	return nil
}

// CheckPorts returns an error if a range of ports is malformed. Pure.
func CheckPorts(text string) error {
	_, _, err := parsePorts(text)
	return err
}

func parsePorts(text string) (first, last uint16, err error) {
	a, b, isRange := strings.Cut(text, "-")
	low, errA := strconv.ParseUint(a, 10, 16)
	high, errB := strconv.ParseUint(b, 10, 16)
	if !isRange || errA != nil || errB != nil || low == 0 || high < low {
		return 0, 0, fmt.Errorf("%q: expected the first and the last port, such as 40000-40099", text)
	}
	return uint16(low), uint16(high), nil
}

// Explicit reports whether the user has chosen interfaces.
func (c Choice) Explicit() bool { return len(c.interfaces) > 0 }

// Addrs returns the addresses of this host that the choice allows. If the user has chosen
// interfaces, they are in that order. Otherwise they are all addresses that other hosts may
// reach, those of IPv4 first. The error names the addresses that this host has.
func (c Choice) Addrs() ([]netip.Addr, error) {
	own, err := ownAddrs()
	if err != nil {
		return nil, err
	}
	return c.among(own)
}

// ownAddr is one address of this host.
type ownAddr struct {
	device string
	addr   netip.Addr
}

func (c Choice) among(own []ownAddr) ([]netip.Addr, error) {
	var found []netip.Addr
	if !c.Explicit() {
		for _, is4 := range []bool{true, false} { // those of IPv4 first
			for _, o := range own {
				if o.addr.Is4() == is4 && o.addr.IsGlobalUnicast() {
					found = append(found, o.addr)
				}
			}
		}
		return found, nil
	}
	var missing []string
	for _, name := range c.interfaces {
		n := len(found)
		for _, o := range own {
			if o.is(name) && !slices.Contains(found, o.addr) {
				found = append(found, o.addr)
			}
		}
		if len(found) == n {
			missing = append(missing, name)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("option %s: this host has no %s; it has %s", optionInterface, strings.Join(missing, " or "), list(own))
	}
	return found, nil
}

func (o ownAddr) is(name string) bool {
	if network, err := netip.ParsePrefix(name); err == nil {
		return network.Contains(o.addr)
	}
	if addr, err := netip.ParseAddr(name); err == nil {
		return addr.Unmap() == o.addr
	}
	return o.device == name
}

func list(own []ownAddr) string {
	var texts []string
	for _, o := range own {
		texts = append(texts, fmt.Sprintf("%s (%v)", o.device, o.addr))
	}
	return strings.Join(texts, ", ")
}

// ownAddrs returns the addresses of this host that can be used.
func ownAddrs() ([]ownAddr, error) {
	devices, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	var own []ownAddr
	for _, d := range devices {
		addrs, err := d.Addrs()
		if err != nil {
			return nil, err
		}
		for _, a := range addrs {
			// An address that holds on one link only needs a zone, and zones differ between
			// hosts.
			if prefix, err := netip.ParsePrefix(a.String()); err == nil && !prefix.Addr().IsLinkLocalUnicast() {
				own = append(own, ownAddr{d.Name, prefix.Addr().Unmap()})
			}
		}
	}
	return own, nil
}

// errNoAddress: there is no address to listen at.
var errNoAddress = errors.New("this host has no address that others can reach")
