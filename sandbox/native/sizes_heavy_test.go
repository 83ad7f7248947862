//go:build heavy

package native

const (
	everyWay     = true                     // attacks of Python are tried in all ways to confine them
	each         = 1                        // TestZygoteIsLikeFresh runs one of so many programs
	unprivileged = "TestSandbox|TestZygote" // is run without rights, too
)
