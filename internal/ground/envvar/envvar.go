// Package envvar names the environment variables of GoACP. Users set some of them. The
// launchers set the others, for the processes that they start.
//
// The names stand here because launchers and library both use them, and the launchers do
// not import the library. docs/design/start.md says what each variable means.
package envvar

// Where the run is, and which process of it this one is. Launchers set these variables.
const (
	Rendezvous = "ACP_RENDEZVOUS"
	TokenFile  = "ACP_TOKEN_FILE"
	Job        = "ACP_JOB"
	JobName    = "ACP_JOB_NAME"
	JobRank    = "ACP_JOB_RANK"
	Report     = "ACP_REPORT_FD"
)

// What the user chooses. Options of the launchers win over these variables.
const (
	Net         = "ACP_NET"
	RDMA        = "ACP_RDMA"
	StarterSize = "ACP_STARTER_MEMSIZE"
	HeapSize    = "ACP_STARTER_MEMSIZE_DL"
	ChannelSize = "ACP_CHANNEL_MEMSIZE"
	Secure      = "ACP_SECURE"
	OnError     = "ACP_ON_ERROR"
	Couple      = "ACP_COUPLE"
	Interface   = "ACP_INTERFACE"
	PortRange   = "ACP_PORTRANGE"
	RemoteShell = "ACP_RSH"
	PMIxLibrary = "ACP_PMIX_LIBRARY"
	Stats       = "ACP_STATS"
	Debug       = "ACP_DEBUG"
	DebugFile   = "ACP_DEBUG_FILE"
	HookSmall   = "ACP_MHOOK_SMALL"
	HookLarge   = "ACP_MHOOK_LARGE"
	HookHuge    = "ACP_MHOOK_HUGE"
	HookLow     = "ACP_MHOOK_LOW"
	HookHigh    = "ACP_MHOOK_HIGH"
	DMIPool     = "DMI_POOL"
)

// DMIOnHost is the greatest number of processes of a program with DMI on one host. dmimw sets it.
const DMIOnHost = "ACP_DMI_ON_HOST"

// What the wrapper compilers read.
const (
	Link        = "ACP_LINK"
	WrapperData = "ACP_WRAPPER_DATA"
)
