//go:build heavy

package native

const (
	everyWay     = true                     // attacks of Python are tried in all ways to confine them
	each         = 1                        // TestZygoteIsLikeFresh runs one of so many programs
	later        = 20                       // jobs look for what one before them has left in a zygote
	depth        = 3000                     // folders in one another are removed
	unprivileged = "TestSandbox|TestZygote" // is run without rights, too
)
