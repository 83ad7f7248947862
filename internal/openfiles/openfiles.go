// Package openfiles shares out the files that the process may open between its connections and all
// else: at the limit a store could open no file, and would fail.
package openfiles

import (
	"log/slog"
	"math"
)

// ForConnections is how many of the files that the process may open its connections may take, to
// whomever: a quarter, at most 2048, stays for others. Unknown limits are very large.
func ForConnections() int {
	n := Limit()
	if n == 0 {
		return math.MaxInt32
	}
	return n - min(n/4, 2048)
}

// ForCalls is how many of these may be connections to other servers, of a number wanted: half of
// them at most, since most calls begin with a connection that the process accepted.
func ForCalls(want int) int { return max(1, min(want, ForConnections()/2)) }

// Warn says if the limit allows fewer than a setting wants.
func Warn(log *slog.Logger, setting string, want, allowed int) {
	if allowed < want {
		log.Warn("the limit of open files is below "+setting+": raise it with ulimit -n", setting, want, "allowed", allowed)
	}
}
