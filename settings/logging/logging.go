// Package logging has the settings of a program's log, and opens it.
package logging

import (
	"io"
	"log/slog"

	"github.com/quintain-rl/quintain/settings"
)

// Settings say how a program logs.
type Settings struct {
	Level  string // debug, info, warn or error
	Format string // text or json
}

// Default returns the default settings.
func Default() Settings { return Settings{"info", "text"} }

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Text(&s.Level, "level", "least level of log messages").OneOf("debug", "info", "warn", "error").Flag("log-level")
	d.Text(&s.Format, "format", "format of the log").OneOf("text", "json")
}

// Logger returns a logger to out.
func (s *Settings) Logger(out io.Writer) *slog.Logger {
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
