//go:build !heavy

package native

const (
	each         = 6                                                                     // TestZygoteIsLikeFresh runs one of so many programs
	unprivileged = "TestSandboxSessionsThatEnd|TestSandboxSessionsAtOnce|TestZygoteWith" // is run without rights, too
)
