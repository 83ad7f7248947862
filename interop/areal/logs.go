package areal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/quintain-rl/quintain"
)

// Logs writes the logs of AReaL's agents: a text for people and JSON lines, with an entry
// for each turn, in the same order. Many goroutines may use it.
type Logs struct {
	Dir    string // has a folder for each version of the weights
	Single bool   // the episodes of a group share their files, as in math-single-step
}

// A LogLine is a turn in the JSON lines.
type LogLine struct {
	Start     int32 `json:"version_start"`
	End       int32 `json:"version_end"`
	Success   bool  `json:"success"`
	PromptLen int   `json:"prompt_len"` // tokens read up to the turn, earlier replies included
	AnswerLen int   `json:"answer_len"` // tokens sampled in it
}

// Write writes the logs of a group's episodes. The files' names are the ID of the episode,
// or of the group, escaped as in a URL, with .txt and .jsonl, in the folder of the version
// that sampled the first token. They replace older ones: an episode that is played again is
// logged once.
func (l Logs) Write(group string, played []quintain.Trajectory) error {
	if l.Single {
		return l.write(group, played)
	}
	for i := range played {
		if err := l.write(played[i].ID, played[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// write writes the logs of episodes.
func (l Logs) write(id string, played []quintain.Trajectory) error {
	entries := logEntries(played)
	if len(entries) == 0 {
		return nil
	}
	var text, lines bytes.Buffer
	for i, e := range entries {
		fmt.Fprintf(&text, "idx: %d / %d, seqlen: %d, head version: %d, tail version: %d.\n", i+1, len(entries), e.PromptLen+e.AnswerLen, e.Start, e.End)
		fmt.Fprintf(&text, "reward is %v, prompt is %s\nsequence is: %s.\n", e.turn.Reward, marked(e.asked), marked(e.turn.Reply))
		row, err := json.Marshal(e.LogLine)
		if err != nil {
			return err
		}
		lines.Write(append(row, '\n'))
	}
	folder := filepath.Join(l.Dir, strconv.Itoa(int(entries[0].Start)))
	path := filepath.Join(folder, url.PathEscape(id))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("logs in AReaL's form: %w", err)
	}
	err := errors.Join(os.WriteFile(path+".txt", text.Bytes(), 0o644), os.WriteFile(path+".jsonl", lines.Bytes(), 0o644))
	if err != nil {
		return fmt.Errorf("logs in AReaL's form: %w", err)
	}
	return nil
}

// A logEntry is a turn in the logs.
type logEntry struct {
	LogLine
	turn  *quintain.Turn
	asked string // the opening of the episode
}

// logEntries returns the turns of episodes.
func logEntries(played []quintain.Trajectory) (all []logEntry) {
	for i := range played {
		lengths := make([]int, len(played[i].Turns)) // up to the end of each turn
		for k := range played[i].Turns {
			turn, before := &played[i].Turns[k], 0
			if parent := played[i].Parent(k); parent >= 0 && !turn.Fork {
				before = lengths[parent]
			}
			e := logEntry{turn: turn, asked: texts(played[i].Turns[played[i].Path(k)[0]].Observed)}
			e.Start, e.End = span(turn)
			e.Success, e.PromptLen, e.AnswerLen = turn.Right, before+len(turn.Read), len(turn.Wrote)
			lengths[k] = e.PromptLen + e.AnswerLen
			all = append(all, e)
		}
	}
	return all
}

// texts joins the texts of messages.
func texts(talk []quintain.Message) string {
	var all []string
	for _, m := range talk {
		all = append(all, m.Text())
	}
	return strings.Join(all, "\n")
}

// marked returns a text on one line, dim and yellow on a terminal. It escapes control
// characters, which could do more there.
func marked(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsControl(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return "\x1b[33m\x1b[2m" + b.String() + "\x1b[0m"
}
