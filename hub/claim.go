package hub

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/queue/groupform"
)

// maxWait is the longest wait of a request.
const maxWait = 5 * time.Minute

// maxLease is the longest lease.
const maxLease = 7 * 24 * time.Hour

// unnamedTrainer is the name of a trainer that gives none.
const unnamedTrainer = "trainer"

// claimOf reads the trainer and the lease from a request; lease is the default.
func claimOf(r *http.Request, lease time.Duration) (claim, error) {
	query := r.URL.Query()
	c := claim{trainer: unnamedTrainer, lease: lease}
	if name := query.Get("trainer"); name != "" {
		if !validName(strings.ToLower(strings.ReplaceAll(name, ".", "-"))) {
			return c, queryError("trainer", "at most 40 letters of a-z, A-Z, 0-9, '-', '_' and '.'")
		}
		c.trainer = name
	}
	if text := query.Get("lease"); text != "" {
		lease, ok := parseSpan(text)
		if !ok || lease <= 0 || lease > maxLease {
			return c, queryError("lease", "a time up to a week, in seconds or as 90s, 10m, 1h")
		}
		c.lease = lease
	}
	return c, nil
}

// waitOf returns how long a request may wait.
func waitOf(r *http.Request) (time.Duration, error) {
	text := r.URL.Query().Get("wait")
	if text == "" {
		return 0, nil
	}
	wait, ok := parseSpan(text)
	if !ok || wait < 0 {
		return 0, queryError("wait", "a time, in seconds or as 500ms, 30s, 1m")
	}
	return min(wait, maxWait), nil
}

// parseSpan reads a time in seconds, "1.5", or with a unit, "10m".
func parseSpan(text string) (time.Duration, bool) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		return time.Duration(seconds * float64(time.Second)), seconds >= 0 && seconds < 1e9
	}
	d, err := time.ParseDuration(text)
	return d, err == nil
}

// wantsJSON reports whether a client prefers JSON to the binary form.
func wantsJSON(r *http.Request) bool {
	accept := strings.ToLower(r.Header.Get("Accept"))
	return strings.Contains(accept, "json") && !strings.Contains(accept, groupform.Frames)
}
