//go:build heavy

package native

const (
	each         = 1                        // TestZygoteIsLikeFresh runs one of so many programs
	unprivileged = "TestSandbox|TestZygote" // is run without rights, too
)
