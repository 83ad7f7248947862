//go:build !heavy

package native

const (
	everyWay     = false                                                                                                   // attacks of Python are tried in two ways to confine them
	each         = 6                                                                                                       // TestZygoteIsLikeFresh runs one of so many programs
	later        = 5                                                                                                       // jobs look for what one before them has left in a zygote
	depth        = 300                                                                                                     // folders in one another are removed
	unprivileged = "TestSandboxSessionsThatEnd|TestSandboxSessionsAtOnce|TestZygoteWith|TestSandboxShares|TestSandboxDisk" // is run without rights, too
)
