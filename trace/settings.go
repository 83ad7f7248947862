package trace

import (
	"fmt"

	"github.com/quintain-rl/quintain/internal/settings"
)

// Settings say whether a run keeps a trace, and how much of it.
type Settings struct {
	On           bool  `json:"on"`
	MaxBytes     int64 `json:"max_bytes"`     // of all segments; if there are more, the oldest closed ones are removed
	SegmentBytes int64 `json:"segment_bytes"` // of one segment
}

// Default returns the default settings.
func Default() Settings { return Settings{On: true, MaxBytes: 2 << 30, SegmentBytes: 64 << 20} }

// Limits of SegmentBytes. The index of a full segment is held in memory.
const (
	minSegment = 64 << 10
	maxSegment = 1 << 30
)

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Bool(&s.On, "on", "keep a trace of every episode").Flag("trace")
	d.Int64(&s.MaxBytes, "max_bytes", "largest size of the trace in bytes; the oldest files are removed first")
	d.Int64(&s.SegmentBytes, "segment_bytes", "size of one file of the trace in bytes").Between(minSegment, maxSegment)
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	if s.MaxBytes/2 < s.SegmentBytes {
		return fmt.Errorf("max_bytes: is %d, want at least twice segment_bytes, which is %d", s.MaxBytes, s.SegmentBytes)
	}
	return nil
}
