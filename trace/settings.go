package trace

import (
	"fmt"

	"github.com/quintain-rl/quintain/settings"
)

// Settings say whether there is a trace, and how much of it is kept.
type Settings struct {
	On           bool  `json:"on"`
	MaxBytes     int64 `json:"max_bytes"`     // of all segments; beyond it the oldest closed ones are removed
	SegmentBytes int64 `json:"segment_bytes"` // of one segment
}

// Default is the settings of a run that says nothing of its trace.
func Default() Settings { return Settings{On: true, MaxBytes: 2 << 30, SegmentBytes: 64 << 20} }

// Bytes that a segment may be set to: the index of a full one is held in memory.
const (
	minSegment = 64 << 10
	maxSegment = 1 << 30
)

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Bool(&s.On, "on", "keep a trace of every episode").Flag("trace")
	d.Int64(&s.MaxBytes, "max_bytes", "bytes of the trace that are kept; the oldest files are removed first").Flag("trace-max-bytes")
	d.Int64(&s.SegmentBytes, "segment_bytes", "bytes of one file of the trace").Between(minSegment, maxSegment).Flag("")
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	if s.MaxBytes/2 < s.SegmentBytes {
		return fmt.Errorf("max_bytes: is %d, want twice segment_bytes or more, which is %d", s.MaxBytes, s.SegmentBytes)
	}
	return nil
}
