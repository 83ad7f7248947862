package flags

import (
	"io"
	"log/slog"

	"github.com/quintain-rl/quintain/internal/settings"
)

// LogSettings say how a program logs.
type LogSettings struct {
	Level  string // debug, info, warn or error
	Format string // text or json
}

// DefaultLog returns the default settings.
func DefaultLog() LogSettings { return LogSettings{"info", "text"} }

// Declare implements [settings.Declarer].
func (s *LogSettings) Declare(d *settings.Section) {
	d.Text(&s.Level, "level", "least level of log messages").OneOf("debug", "info", "warn", "error").Flag("log-level")
	d.Text(&s.Format, "format", "format of the log").OneOf("text", "json")
}

// Logger returns a logger to out.
func (s *LogSettings) Logger(out io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.Level)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if s.Format == "json" {
		return slog.New(slog.NewJSONHandler(out, options))
	}
	return slog.New(slog.NewTextHandler(out, options))
}
