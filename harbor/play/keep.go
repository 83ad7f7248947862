package play

import (
	"errors"
	"os"
	"path"
	"path/filepath"
)

// The values of keep.
const (
	keepOff    = "off"
	keepFailed = "failed"
	keepAll    = "all"
)

// keepLogs copies what the agent's phase leaves in memory, which the next phase takes away.
func (r *run) keepLogs() {
	how := &r.set.how
	if how.Keep == keepOff || r.last == nil {
		return
	}
	err := os.MkdirAll(how.KeepIn, 0o750)
	if err == nil {
		r.kept, err = os.MkdirTemp(how.KeepIn, path.Base(r.of.Name)+"-")
	}
	if err == nil {
		err = errors.Join(r.last.Save(artifacts, filepath.Join(r.kept, "artifacts")), r.last.Save(agentLogs, filepath.Join(r.kept, "agent")))
	}
	r.warn(err)
}

// warn says that a trial is not kept, which is no fault of the episode.
func (r *run) warn(err error) {
	if err != nil {
		r.set.log.Warn("a trial is not kept as a whole", "task", r.of.Name, "fault", err)
	}
}

// keep copies what the trial wrote and the tests left beside the logs, and returns the folder; empty: it is not kept.
func (r *run) keep(right bool) string {
	switch {
	case r.kept == "":
		return ""
	case right && r.set.how.Keep == keepFailed:
		r.drop()
		return ""
	}
	kept := r.kept
	r.kept = ""
	err := r.last.Save("", filepath.Join(kept, "files"))
	if r.tested {
		err = errors.Join(err, r.last.Save(verifierLogs, filepath.Join(kept, "verifier")))
	}
	r.warn(err)
	r.set.log.Info("a trial is kept", "task", r.of.Name, "folder", kept)
	return kept
}

// drop removes what is not kept.
func (r *run) drop() {
	if r.kept != "" {
		r.warn(os.RemoveAll(r.kept))
	}
	r.kept = ""
}
