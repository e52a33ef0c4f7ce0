package config

// Merge returns the options of the command line. Where the command line leaves an option out,
// the description gives it.
func Merge(line, description Options) Options {
	if !line.StarterSize.Given {
		line.StarterSize = description.StarterSize
	}
	if !line.StarterSizeDL.Given {
		line.StarterSizeDL = description.StarterSizeDL
	}
	if line.Net == "" {
		line.Net = description.Net
	}
	if line.RDMA == "" {
		line.RDMA = description.RDMA
	}
	if !line.Guests.Given {
		line.Guests = description.Guests
	}
	if line.Join == "" {
		line.Join = description.Join
	}
	line.Secure = line.Secure || description.Secure
	line.Stats = line.Stats || description.Stats
	if line.Trace == "" {
		line.Trace = description.Trace
	}
	if line.DebugLayers == "" {
		line.DebugLayers = description.DebugLayers
	}
	if line.DebugFile == "" {
		line.DebugFile = description.DebugFile
	}
	if line.OnError == "" {
		line.OnError = description.OnError
	}
	if line.Couple == "" {
		line.Couple = description.Couple
	}
	if line.Interface == "" {
		line.Interface = description.Interface
	}
	if line.PortRange == "" {
		line.PortRange = description.PortRange
	}
	if line.Timeout == 0 {
		line.Timeout = description.Timeout
	}
	if line.Stall == 0 {
		line.Stall = description.Stall
	}
	if line.Nodefile == "" && line.Hosts == nil {
		line.Nodefile, line.Hosts = description.Nodefile, description.Hosts
	}
	return line
}
