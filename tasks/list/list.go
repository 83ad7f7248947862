package list

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/quintain-rl/quintain"
)

// ScoringHelp explains the words for scoring, a line each.
func ScoringHelp() string {
	var b strings.Builder
	for _, s := range Scorings {
		fmt.Fprintf(&b, "  %-11s%s\n", s.Word, s.Doc)
	}
	return b.String()
}

// WriteJSON writes entries as JSON lines.
func WriteJSON(out io.Writer, entries []Entry) error {
	type line struct {
		Category string `json:"category"`
		quintain.Info
		Scoring  string       `json:"scoring"`
		Measured []LevelFacts `json:"measured"` // by level
	}
	for _, e := range entries {
		l := line{e.Info.Category, e.Info, strings.Join(e.Facts.Scoring(e.Info), ", "), []LevelFacts{}}
		if e.Measured {
			l.Measured = e.Facts.Levels
		}
		if err := json.NewEncoder(out).Encode(l); err != nil {
			return err
		}
	}
	return nil
}
