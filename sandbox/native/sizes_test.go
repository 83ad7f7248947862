//go:build !heavy

package native

const (
	everyWay     = false                                                                                                   // attacks of Python are tried in two ways to confine them
	each         = 6                                                                                                       // TestZygoteIsLikeFresh runs one of so many programs
	unprivileged = "TestSandboxSessionsThatEnd|TestSandboxSessionsAtOnce|TestZygoteWith|TestSandboxShares|TestSandboxDisk" // is run without rights, too
)
