//go:build !heavy

package main

// serveNode is a server of a cluster in the heavy tests, which alone have one.
func serveNode() bool { return false }
