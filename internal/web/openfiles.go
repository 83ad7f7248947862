package web

import (
	"log/slog"
	"math"
)

// FilesForConnections is how many of the files that the process may open its connections may take, to
// whomever: a quarter, at most 2048, stays for others. Unknown limits are very large.
func FilesForConnections() int {
	n := OpenFileLimit()
	if n == 0 {
		return math.MaxInt32
	}
	return n - min(n/4, 2048)
}

// FilesForCalls is how many of these may be connections to other servers, of a number wanted: half of
// them at most, since most calls begin with a connection that the process accepted.
func FilesForCalls(want int) int { return max(1, min(want, FilesForConnections()/2)) }

// WarnOfFiles says if the limit allows fewer than a setting wants.
func WarnOfFiles(log *slog.Logger, setting string, want, allowed int) {
	if allowed < want {
		log.Warn("the limit of open files is below "+setting+": raise it with ulimit -n", setting, want, "allowed", allowed)
	}
}
